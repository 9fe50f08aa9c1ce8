"""Reads the cache of Perpscope with Polars, pandas, DuckDB, or any engine that reads Parquet.

The index is only read, so that the app may run and download at the same time. Importing this module imports no other
package; each function imports the engine that it is named after.

    import perpscope

    flow = perpscope.scan("flow", base="BTC", interval="1m", start="2026-08-01", end="2026-08-07").collect()
    paths = perpscope.files("ohlcv", exchange="venuea-futures", interval="1h")

Every function takes the same choice of series:

    dataset      a metric dataset, such as "flow"
    base         base asset of the symbols, such as "BTC"
    symbol       one symbol, such as "perpetual-BTC-USDT:USDT"
    exchange     one venue
    interval     one interval, such as "1m"
    timestamp    clock of the rows: "exchange" (the default) or "true"
    start, end   as in `perpscope read`: dates are UTC days, both inclusive; instants are half-open
    connection   name of a connection; the active one by default
    data_dir     folder of the app's data; the app's own by default

Without `exchange` or `symbol`, all that match are read, and the columns `exchange` and `symbol` tell them apart.

`formula`, `study` and `portfolio` are computed by Perpscope itself, through its local API: `perpscope serve --api`.
"""

from __future__ import annotations

import datetime as _dt
import functools as _functools
import inspect as _inspect
import io as _io
import json as _json
import os as _os
import re as _re
import sqlite3 as _sqlite3
import sys as _sys
from pathlib import Path as _Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Tuple, TypeVar, Union
from urllib.error import HTTPError as _HTTPError, URLError as _URLError
from urllib.parse import quote as _quote

if TYPE_CHECKING:
    import duckdb as _duckdb
    import pandas as _pandas
    import polars as _polars
    from typing_extensions import TypedDict, Unpack

    class _Choice(TypedDict, total=False):
        base: Optional[str]
        symbol: Optional[str]
        exchange: Optional[str]
        interval: Optional[str]
        timestamp: str
        start: When
        end: When
        connection: Optional[str]
        data_dir: Union[str, _Path, None]

__all__ = [
    "PerpscopeError",
    "data_dir",
    "duckdb",
    "files",
    "formula",
    "pandas",
    "portfolio",
    "provenance",
    "scan",
    "study",
]

When = Union[str, _dt.date, _dt.datetime, int, None]

_DAY_MS = 86_400_000
# Columns that every frame begins with; columns of a file with these names are replaced.
_LEADING = ["exchange", "symbol", "time"]


class PerpscopeError(Exception):
    """A choice of series, or a request to the local API, that cannot be answered; the message says why."""


def data_dir() -> _Path:
    """Finds the data folder as the app does."""
    given = _os.environ.get("PERPSCOPE_DATA_DIR")
    if given:
        return _Path(given)
    home = _Path.home()
    if _sys.platform == "darwin":
        return home / "Library" / "Application Support" / "Perpscope"
    if _sys.platform == "win32":
        return _Path(_os.environ.get("APPDATA") or home / "AppData" / "Roaming") / "Perpscope"
    xdg = _os.environ.get("XDG_DATA_HOME", "")
    return (_Path(xdg) if _os.path.isabs(xdg) else home / ".local" / "share") / "perpscope"


def _folder_of(given: Union[str, _Path, None]) -> _Path:
    return _Path(given) if given is not None else data_dir()


class _Part(NamedTuple):
    """A file and the range of times that is read from it, in milliseconds and half-open."""

    exchange: str
    symbol: str
    interval: str
    timestamp: str
    period: str
    path: str
    sha256: str
    fetched_at_ms: int
    start_ms: int
    end_ms: int
    is_whole: bool
    columns: Tuple[Tuple[str, str], ...]
    has_duplicates: bool
    is_regular: bool


def _encode_value(value: str, kept: str) -> str:
    """Encodes a value as the app names folders.

    >>> _encode_value("BTC-USDT:USDT", "A-Z0-9._-")
    'BTC-USDT%3AUSDT'
    """
    encoded = _re.sub(f"[^{kept}]", lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), value)
    return encoded[:-1] + "%2E" if encoded.endswith(".") else encoded


def _encode_symbol(symbol: str) -> str:
    """Encodes a symbol; its usual prefix stays readable.

    >>> _encode_symbol("perpetual-kPEPE-USDT:USDT")
    'perpetual-%6BPEPE-USDT%3AUSDT'
    """
    prefix = "perpetual-" if symbol.startswith("perpetual-") else ""
    return prefix + _encode_value(symbol[len(prefix) :], "A-Z0-9._-")


def _base_of(symbol: str) -> str:
    """Reads the base asset of a symbol.

    >>> _base_of("perpetual-BTC-USDT:USDT")
    'BTC'
    """
    match = _re.match(r"^[a-z]+-(.+)-[^-:]+(?::.+)?$", symbol)
    return match[1] if match else symbol


def _instant_ms(when: When, is_end: bool) -> Optional[int]:
    """Reads a start or an end in milliseconds; the end of a day is the start of the next.

    >>> _instant_ms("1970-01-02", False), _instant_ms("1970-01-02", True), _instant_ms("1970-01-01T00:00:01Z", True)
    (86400000, 172800000, 1000)
    """
    if when is None:
        return None
    if isinstance(when, int):
        return when
    if isinstance(when, str):
        try:
            if _re.match(r"^\d{4}-\d{2}-\d{2}$", when):
                when = _dt.date.fromisoformat(when)
            else:
                when = _dt.datetime.fromisoformat(when.replace("Z", "+00:00"))
        except ValueError:
            pass
    if not isinstance(when, _dt.date):
        name = "end" if is_end else "start"
        raise PerpscopeError(f"{name} is not a date or time: {when!r}. Write 2026-08-01 or 2026-08-01T12:00Z.")
    if isinstance(when, _dt.datetime):
        aware = when if when.tzinfo else when.replace(tzinfo=_dt.timezone.utc)
        return (aware - _dt.datetime(1970, 1, 1, tzinfo=_dt.timezone.utc)) // _dt.timedelta(milliseconds=1)
    days = (when - _dt.date(1970, 1, 1)).days
    return (days + 1 if is_end else days) * _DAY_MS


_SELECT = """
SELECT series.exchange, series.symbol, series.interval, series.timestamp, files.period, files.start_day, files.end_day,
  lower(hex(files.sha256)), files.fetched_at_ms, column_lists.columns, file_facts.duplicate_times, file_facts.step_ms,
  file_facts.first_time_ms, file_facts.last_time_ms
FROM series JOIN files ON files.series_id = series.id
  LEFT JOIN file_facts ON file_facts.series_id = files.series_id AND file_facts.period = files.period
  LEFT JOIN column_lists ON column_lists.id = file_facts.column_list_id
WHERE series.connection_id = ? AND series.kind = 'metrics' AND series.dataset = ?
"""


def _open_index(folder: _Path) -> _sqlite3.Connection:
    path = folder / "perpscope.sqlite"
    if not path.is_file():
        raise PerpscopeError(f"There is no data of Perpscope in {folder}. Name its folder with data_dir=…")
    return _sqlite3.connect(f"file:{_quote(str(path))}?mode=ro", uri=True, timeout=30)


def _connection_id(index: _sqlite3.Connection, name: Optional[str]) -> str:
    rows = index.execute("SELECT id, name, active FROM connections").fetchall()
    for row_id, row_name, active in rows:
        if row_name == name if name is not None else active:
            return str(row_id)
    known = ", ".join(sorted(str(row[1]) for row in rows))
    raise PerpscopeError(f"There is no connection {name!r}. The connections are: {known}")


def _parts(
    dataset: str,
    *,
    base: Optional[str] = None,
    symbol: Optional[str] = None,
    exchange: Optional[str] = None,
    interval: Optional[str] = None,
    timestamp: str = "exchange",
    start: When = None,
    end: When = None,
    connection: Optional[str] = None,
    data_dir: Union[str, _Path, None] = None,
) -> List[_Part]:
    """Finds the files of a choice; a daily file takes precedence over the file of its month."""
    folder = _folder_of(data_dir)
    start_ms, end_ms = _instant_ms(start, False), _instant_ms(end, True)
    if start_ms is not None and end_ms is not None and start_ms >= end_ms:
        raise PerpscopeError(f"The range is empty: it starts at {start} and ends at {end}.")
    index = _open_index(folder)
    try:
        connection_id = _connection_id(index, connection)
        sql, values = _SELECT, [connection_id, dataset]
        chosen = {"symbol": symbol, "exchange": exchange, "interval": interval, "timestamp": timestamp}
        for column, value in chosen.items():
            if value is not None:
                sql += f" AND series.{column} = ?"
                values.append(value)
        rows = index.execute(sql + " ORDER BY series.exchange, series.symbol, series.interval", values).fetchall()
    finally:
        index.close()
    series: Dict[Tuple[str, ...], List[Tuple[Any, ...]]] = {}
    for row in rows:
        if base is None or _base_of(row[1]) == base:
            series.setdefault(tuple(row[:4]), []).append(row)
    intervals = sorted({key[2] for key in series})
    if interval is None and len(intervals) > 1:
        raise PerpscopeError(f"Choose one interval, because rows of several intervals cannot be mixed: {', '.join(intervals)}")
    root = str(folder / "files" / _encode_value(connection_id, "A-Za-z0-9_.~-"))
    return [part for key, found in series.items() for part in _slices(root, dataset, key, found, start_ms, end_ms)]


def _slices(
    root: str,
    dataset: str,
    key: Tuple[str, ...],
    rows: List[Tuple[Any, ...]],
    start_ms: Optional[int],
    end_ms: Optional[int],
) -> List[_Part]:
    exchange, symbol, interval, timestamp = key
    lower = "a-z0-9._-"
    folder = _os.path.join(
        root,
        "metrics",
        f"dataset={_encode_value(dataset, lower)}",
        f"exchange={_encode_value(exchange, lower)}",
        f"symbol={_encode_symbol(symbol)}",
        f"interval={_encode_value(interval, lower)}",
        f"timestamp={_encode_value(timestamp, lower)}",
    )
    day_of: Dict[int, Tuple[Any, ...]] = {}
    for row in sorted(rows, key=lambda each: len(each[4]) > 7):
        for day in range(row[5], row[6]):
            day_of[day] = row
    cuts: List[Tuple[Tuple[Any, ...], int, int]] = []
    for day in sorted(day_of):
        row = day_of[day]
        first = day * _DAY_MS if start_ms is None else max(day * _DAY_MS, start_ms)
        last = (day + 1) * _DAY_MS if end_ms is None else min((day + 1) * _DAY_MS, end_ms)
        if first >= last:
            continue
        if cuts and cuts[-1][0] is row and cuts[-1][2] == first:
            cuts[-1] = (row, cuts[-1][1], last)
        else:
            cuts.append((row, first, last))
    return [_part(folder, key, row, first, last) for row, first, last in cuts]


@_functools.lru_cache(maxsize=256)
def _columns_of(text: Optional[str]) -> Tuple[Tuple[str, str], ...]:
    """Reads a list of columns; thousands of files share one."""
    return tuple((str(name), str(kind)) for name, kind in _json.loads(text)) if text else ()


def _lies_within(first_row: Optional[float], last_row: Optional[float], first: int, last: int) -> bool:
    """Tells whether all rows of a file are known to lie in its period; rows outside it are cut off.

    >>> _lies_within(0, 9, 0, 10), _lies_within(0, 10, 0, 10), _lies_within(None, None, 0, 10)
    (True, False, False)
    """
    return first_row is not None and last_row is not None and first <= first_row and last_row < last


def _part(folder: str, key: Tuple[str, ...], row: Tuple[Any, ...], first: int, last: int) -> _Part:
    exchange, symbol, interval, timestamp = key
    return _Part(
        exchange=exchange,
        symbol=symbol,
        interval=interval,
        timestamp=timestamp,
        period=row[4],
        path=f"{folder}{_os.sep}{row[4]}.parquet",
        sha256=row[7],
        fetched_at_ms=row[8],
        start_ms=first,
        end_ms=last,
        is_whole=first == row[5] * _DAY_MS and last == row[6] * _DAY_MS and _lies_within(row[12], row[13], first, last),
        columns=_columns_of(row[9]),
        has_duplicates=row[10] is None or row[10] > 0,
        is_regular=row[11] is not None,
    )


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _takes_choice(function: _Function) -> _Function:
    """Names the arguments of a choice in help() and in editors, and refuses others."""
    own = _inspect.signature(function)
    leading = [each for each in own.parameters.values() if each.kind is not each.VAR_KEYWORD]
    choice = [each for each in _inspect.signature(_parts).parameters.values() if each.name != "dataset"]
    signature = own.replace(parameters=[*leading, *choice])

    @_functools.wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        signature.bind(*given, **named)
        return function(*given, **named)

    checked.__signature__ = signature  # type: ignore[attr-defined]
    return checked  # type: ignore[return-value]


@_takes_choice
def files(dataset: str, **choice: "Unpack[_Choice]") -> List[str]:
    """Lists the files of a choice, for any engine.

    A file may contain rows outside the range, and the file of a month also days that have daily files: `scan`, `pandas`
    and `duckdb` leave both out.
    """
    return list(dict.fromkeys(part.path for part in _parts(dataset, **choice)))


@_takes_choice
def provenance(dataset: str, **choice: "Unpack[_Choice]") -> Dict[str, Any]:
    """Says where the rows of a choice come from: series, files with their SHA-256, and when they were fetched."""
    series: Dict[Tuple[str, ...], Dict[str, Any]] = {}
    for part in _parts(dataset, **choice):
        names = ("exchange", "symbol", "interval", "timestamp")
        key = tuple(getattr(part, name) for name in names)
        one = series.setdefault(key, {**dict(zip(names, key)), "files": []})
        fetched = _dt.datetime.fromtimestamp(part.fetched_at_ms / 1000, _dt.timezone.utc).isoformat()
        file = {"path": part.path, "period": part.period, "sha256": part.sha256, "fetched": fetched}
        if file not in one["files"]:
            one["files"].append(file)
    return {"dataset": dataset, "timestamp": choice.get("timestamp", "exchange"), "series": list(series.values())}


def _chosen(dataset: str, choice: "_Choice") -> List[_Part]:
    parts = _parts(dataset, **choice)
    if not parts:
        raise PerpscopeError(_absent(dataset, choice))
    return parts


_SELECT_CACHED = """
SELECT DISTINCT dataset, exchange, symbol, interval, timestamp FROM series
WHERE connection_id = ? AND kind = 'metrics' AND EXISTS (SELECT 1 FROM files WHERE files.series_id = series.id)
"""


def _absent(dataset: str, choice: "_Choice") -> str:
    """Explains which argument of a choice matches no cached series, and which values do."""
    index = _open_index(_folder_of(choice.get("data_dir")))
    try:
        connection = _connection_id(index, choice.get("connection"))
        rows = index.execute(_SELECT_CACHED, [connection]).fetchall()
        computed = index.execute(_SELECT_CACHED, [f"{connection}~computed"]).fetchall()
    finally:
        index.close()
    wanted: List[Tuple[str, Any, Callable[[Tuple[Any, ...]], Any]]] = [
        ("dataset", dataset, lambda row: row[0]),
        ("exchange", choice.get("exchange"), lambda row: row[1]),
        ("base", choice.get("base"), lambda row: _base_of(row[2])),
        ("symbol", choice.get("symbol"), lambda row: row[2]),
        ("interval", choice.get("interval"), lambda row: row[3]),
        ("timestamp", choice.get("timestamp", "exchange"), lambda row: row[4]),
    ]
    hint = "Download it with: perpscope fetch"
    if any(all(value is None or value_of(row) == value for _, value, value_of in wanted) for row in computed):
        hint = f"Computed files have it: read them with perpscope sql, from metrics.{dataset} where origin = 'computed'."
    for name, value, value_of in wanted:
        cached = sorted({str(value_of(row)) for row in rows})
        rows = [row for row in rows if value is None or value_of(row) == value]
        if not rows:
            some = ", ".join(cached[:10]) + (", …" if len(cached) > 10 else "") or "nothing"
            before = "" if name == "dataset" else f"{dataset} with "
            return f"There is no {before}{name} {value!r} in the cache. Cached: {some}. {hint}"
    bounds = [("from", choice.get("start")), ("until", choice.get("end"))]
    within = "".join(f" {word} {value}" for word, value in bounds if value is not None)
    return f"No {dataset}{within} is cached for this choice. Download it with: perpscope fetch"


def _runs(parts: List[_Part]) -> List[List[_Part]]:
    """Groups files that one scan can read: whole ones of a series with the same columns, in order and without duplicate times."""
    runs: List[List[_Part]] = []
    for part in parts:
        last = runs[-1][-1] if runs else None
        same = last is not None and last[:4] == part[:4] and last.columns == part.columns and part.columns != ()
        if same and last is not None and last.is_whole and part.is_whole and _is_clean(last) and _is_clean(part):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _is_clean(part: _Part) -> bool:
    return part.is_regular and not part.has_duplicates


@_takes_choice
def scan(dataset: str, **choice: "Unpack[_Choice]") -> "_polars.LazyFrame":
    """Scans a choice with Polars: the columns `exchange`, `symbol`, `time` and those of the dataset.

    `time` is a Datetime in milliseconds and UTC, whatever the files hold. Rows are in order of time within a series; of
    equal times the last counts, as in `perpscope read`.
    """
    runs = _runs(_chosen(dataset, choice))
    import polars as pl

    time_type = pl.Datetime("ms", "UTC")

    def read(run: List[_Part]) -> "_polars.LazyFrame":
        part = run[0]
        frame = pl.scan_parquet([each.path for each in run], hive_partitioning=False)
        kind = dict(part.columns).get("time") or str(frame.collect_schema()["time"]).lower()
        time = pl.col("time")
        if kind.startswith(("timestamp", "datetime")):
            time = time.cast(time_type) if "utc" in kind.lower() else time.cast(pl.Datetime("ms")).dt.replace_time_zone("UTC")
        else:
            time = time.cast(pl.Int64).cast(time_type)
        frame = frame.with_columns(time)
        if not part.is_whole:
            frame = frame.filter(
                (pl.col("time") >= pl.lit(part.start_ms).cast(time_type)) & (pl.col("time") < pl.lit(part.end_ms).cast(time_type))
            )
        if not _is_clean(part):
            frame = frame.drop_nulls("time").unique("time", keep="last", maintain_order=True).sort("time", maintain_order=True)
        names = [name for name, _ in part.columns] or frame.collect_schema().names()
        others = [name for name in names if name not in _LEADING]
        labels = [pl.lit(part.exchange).alias("exchange"), pl.lit(part.symbol).alias("symbol")]
        return frame.select(*labels, "time", *others)

    frames = [read(run) for run in runs]
    return frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal_relaxed")


@_takes_choice
def pandas(dataset: str, **choice: "Unpack[_Choice]") -> "_pandas.DataFrame":
    """Reads a choice as a pandas DataFrame with the columns of `scan`; `time` is datetime64[ms, UTC]."""
    parts = _chosen(dataset, choice)
    import pandas as pd

    frames = []
    for part in parts:
        frame = pd.read_parquet(part.path, engine="pyarrow", partitioning=None)
        time = frame["time"]
        is_number = pd.api.types.is_numeric_dtype(time)
        frame["time"] = (pd.to_datetime(time, unit="ms", utc=True) if is_number else pd.to_datetime(time, utc=True)).astype(
            "datetime64[ms, UTC]"
        )
        first, last = (pd.Timestamp(each, unit="ms", tz="UTC") for each in (part.start_ms, part.end_ms))
        frame = frame[(frame["time"] >= first) & (frame["time"] < last)]
        frame = frame.drop_duplicates("time", keep="last").sort_values("time", kind="stable")
        frame = frame.drop(columns=["exchange", "symbol"], errors="ignore")
        frame.insert(0, "exchange", part.exchange)
        frame.insert(1, "symbol", part.symbol)
        frames.append(frame)
    joined = pd.concat(frames, ignore_index=True)
    return joined[_LEADING + [name for name in joined.columns if name not in _LEADING]]


@_takes_choice
def duckdb(con: "_duckdb.DuckDBPyConnection", dataset: str, **choice: "Unpack[_Choice]") -> "_duckdb.DuckDBPyRelation":
    """Makes a relation of a choice on a connection of DuckDB, with the columns of `scan`; `time` is TIMESTAMPTZ."""

    def text(value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    def select(run: List[_Part]) -> str:
        part = run[0]
        paths = ", ".join(text(each.path) for each in run)
        kind = dict(part.columns).get("time", "int64")
        time = "epoch_ms(time)" if kind.startswith("timestamp") else "CAST(time AS BIGINT)"
        cut = "" if part.is_whole else f" WHERE {time} >= {part.start_ms} AND {time} < {part.end_ms}"
        source = f"read_parquet([{paths}], hive_partitioning = false)"
        rows = f"SELECT * REPLACE (make_timestamptz({time} * 1000) AS time) FROM {source}{cut}"
        if not _is_clean(part):
            numbered = f"SELECT *, file_row_number AS _row FROM read_parquet([{paths}], hive_partitioning = false, file_row_number = true){cut}"
            rows = (
                f"SELECT * EXCLUDE (_row, file_row_number) REPLACE (make_timestamptz({time} * 1000) AS time) FROM ({numbered}) "
                "QUALIFY row_number() OVER (PARTITION BY time ORDER BY _row DESC) = 1"
            )
        # DuckDB does not tell names apart by their case.
        own = ", ".join(['"' + name.replace('"', '""') + '"' for name, _ in part.columns if name.lower() in _LEADING] or ["time"])
        return f"SELECT {text(part.exchange)} AS exchange, {text(part.symbol)} AS symbol, time, * EXCLUDE ({own}) FROM ({rows})"

    return con.sql(" UNION ALL BY NAME ".join(select(run) for run in _runs(_chosen(dataset, choice))))


_ARROW_STREAM = "application/vnd.apache.arrow.stream"
_NO_LOCAL_API = "The local API is not running. Start it with: perpscope serve --api"


def _request(path: str, body: Any, folder: Union[str, _Path, None], accept: str = "application/json") -> bytes:
    """Sends a request to the local API, whose address and token are in the data folder."""
    # Imported here, because most programs send none.
    import urllib.request as request

    access = _folder_of(folder) / "door"
    try:
        url = str(_json.loads((access / "address.json").read_text("utf-8"))["url"])
        token = (access / "token").read_text("utf-8").strip()
    except (OSError, ValueError, KeyError) as thrown:
        raise PerpscopeError(_NO_LOCAL_API) from thrown
    if not _re.fullmatch(r"http://127\.0\.0\.1:\d{1,5}", url):
        raise PerpscopeError(_NO_LOCAL_API)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept": accept}
    prepared = request.Request(url + path, _json.dumps(body).encode("utf-8"), headers)
    try:
        # A proxy would get the token.
        with request.build_opener(request.ProxyHandler({})).open(prepared) as answer:
            return bytes(answer.read())
    except _HTTPError as thrown:
        try:
            message = str(_json.loads(thrown.read())["error"]["message"])
        except (ValueError, KeyError):
            message = str(thrown)
        raise PerpscopeError(message) from thrown
    except _URLError as thrown:
        raise PerpscopeError(_NO_LOCAL_API) from thrown


def formula(
    formula: str,
    *,
    exchange: str,
    symbol: str,
    interval: str,
    start: str,
    end: str,
    timestamp: str = "exchange",
    data_dir: Union[str, _Path, None] = None,
) -> "_polars.DataFrame":
    """Evaluates a formula of the workbench over one symbol: a Polars DataFrame with `value` and the `time` of `scan`."""
    import polars as pl

    place = {"exchange": exchange, "symbol": symbol, "interval": interval, "timestamp": timestamp}
    body = {"formula": formula, "start": start, "end": end, **place}
    frame = pl.read_ipc_stream(_io.BytesIO(_request("/v1/formula", body, data_dir, _ARROW_STREAM)))
    return frame.with_columns(pl.col("time").cast(pl.Datetime("ms", "UTC")))


def study(document: Dict[str, Any], *, data_dir: Union[str, _Path, None] = None) -> Dict[str, Any]:
    """Runs a study of cached data, given as its document, and returns the result; the run is recorded in the ledger."""
    result: Dict[str, Any] = _json.loads(_request("/v1/studies", document, data_dir))
    return result


def portfolio(document: Dict[str, Any], *, data_dir: Union[str, _Path, None] = None) -> Dict[str, Any]:
    """Runs a tested portfolio on cached data, given as its document, and returns the result; the run is recorded in the ledger."""
    return study(document, data_dir=data_dir)
