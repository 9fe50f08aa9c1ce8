"""Reads the cache of Perpscope with Polars, pandas, DuckDB, or any engine that reads Parquet.

The index is only read, so that the app may run and download at the same time. Importing this module imports no other
package; each function imports the engine that it is named after.

    import perpscope

    flow = perpscope.scan("flow", base="BTC", interval="1m", start="2026-08-01", end="2026-08-07").collect()
    paths = perpscope.files("ohlcv", base=["BTC", "ETH"], interval="1h")

Functions that read series take the same choice:

    dataset      a metric dataset, such as "flow"
    base         base asset of the symbols, such as "BTC", or a list of some
    symbol       a symbol, such as "perpetual-BTC-USDT:USDT", or a list of some; "btc" where it means one cached symbol,
                 "btc@venue" for that of a venue
    exchange     a venue, or a list of some
    interval     one interval, such as "1m"
    timestamp    clock of the rows: "exchange" (the default) or "true"
    start, end   as in `perpscope read`: dates are UTC days, both inclusive; instants are half-open
    connection   name of a connection; the active one by default
    data_dir     folder of the app's data; the app's own by default

Without `exchange` or `symbol`, all that match are read, and the columns `exchange` and `symbol` tell them apart.

`scan`, `pandas` and `duckdb` also take `columns`, the columns to read besides `exchange`, `symbol` and `time`. `events`
reads raw events, and `own` a dataset of your own files.

`formula`, `sql`, `history`, `study`, `portfolio`, `blend` and `plan` are computed by Perpscope itself, through its local
API: `perpscope serve --api`.

Whatever cannot be answered raises a `PerpscopeError`, whose `remedy` says what to do.
"""

from __future__ import annotations

import datetime as _dt
import functools as _functools
import inspect as _inspect
import io as _io
import json as _json
import os as _os
import re as _re
import shutil as _shutil
import sqlite3 as _sqlite3
import sys as _sys
import tempfile as _tempfile
import unicodedata as _unicodedata
from importlib.util import find_spec as _find_spec
from pathlib import Path as _Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union
from urllib.error import HTTPError as _HTTPError, URLError as _URLError
from urllib.parse import quote as _quote

if TYPE_CHECKING:
    import duckdb as _duckdb
    import pandas as _pandas
    import polars as _polars
    from typing_extensions import TypedDict, Unpack

    class _Choice(TypedDict, total=False):
        base: Names
        symbol: Names
        exchange: Names
        interval: Optional[str]
        timestamp: str
        start: When
        end: When
        connection: Optional[str]
        data_dir: Union[str, _Path, None]

__all__ = [
    "PerpscopeError",
    "__version__",
    "blend",
    "data_dir",
    "duckdb",
    "events",
    "files",
    "formula",
    "history",
    "own",
    "pandas",
    "plan",
    "portfolio",
    "provenance",
    "scan",
    "sql",
    "study",
]

__version__: str = "0.3.0"

When = Union[str, _dt.date, _dt.datetime, int, None]
"""A start or an end: a day, an instant, or milliseconds since 1970."""
Names = Union[str, Sequence[str], None]
"""One name, a list of names, or all."""

_DAY_MS = 86_400_000
# Columns that every frame begins with; columns of a file with these names are replaced.
_LEADING = ["exchange", "symbol", "time"]


class PerpscopeError(Exception):
    """A choice of series, or a request to the local API, that cannot be answered; the message says why and what to do.

    >>> str(PerpscopeError("Nothing is here.", "Download it."))
    'Nothing is here. Download it.'
    """

    reason: str
    """Why there is no answer."""
    remedy: str
    """What to do about it; empty where the reason says it all."""
    code: str
    """Kind of the error, such as "not-here" or "bad-input", as in the local API."""

    def __init__(self, reason: str, remedy: str = "", code: str = "bad-input") -> None:
        super().__init__(f"{reason} {remedy}".strip())
        self.reason = reason
        self.remedy = remedy
        self.code = code


def _needs(*packages: str) -> None:
    """Checks that packages which this module does not bring are installed."""
    missing = [name for name in packages if name not in _sys.modules and _find_spec(name) is None]
    if missing:
        names = " and ".join(missing)
        verb = "is" if len(missing) == 1 else "are"
        raise PerpscopeError(f"{names} {verb} not installed here.", f"Install with: pip install {' '.join(missing)}", "unsupported")


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
        raise PerpscopeError(f"{name} is not a date or time: {when!r}.", "Write 2026-08-01 or 2026-08-01T12:00Z.")
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
"""

# The longest period is a month, so that a file which overlaps a range begins less than a month before it.
_LONGEST_PERIOD_DAYS = 31


def _open_index(folder: _Path) -> _sqlite3.Connection:
    path = folder / "perpscope.sqlite"
    if not path.is_file():
        raise PerpscopeError(f"There is no data of Perpscope in {folder}.", "Name its folder with data_dir=…", "not-here")
    address = f"file:{_quote(str(path))}"
    index = _sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=30)
    try:
        index.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return index
    except _sqlite3.OperationalError:
        index.close()
    # A folder that may only be read has no room for the files that SQLite keeps beside an index. Without a log nobody
    # writes to the index; one with a log is read from a copy.
    if not path.with_name(f"{path.name}-wal").is_file():
        return _sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)
    return _copied_index(path)


def _copied_index(path: _Path) -> _sqlite3.Connection:
    index = _sqlite3.connect(":memory:")
    with _tempfile.TemporaryDirectory() as folder:
        for name in (path.name, f"{path.name}-wal"):
            _shutil.copyfile(path.with_name(name), _os.path.join(folder, name))
        copy = _sqlite3.connect(_os.path.join(folder, path.name))
        try:
            copy.backup(index)
        finally:
            copy.close()
    return index


def _connection_id(index: _sqlite3.Connection, name: Optional[str]) -> str:
    rows = index.execute("SELECT id, name, active FROM connections").fetchall()
    for row_id, row_name, active in rows:
        if row_name == name if name is not None else active:
            return str(row_id)
    known = ", ".join(sorted(str(row[1]) for row in rows))
    raise PerpscopeError(f"There is no connection {name!r}.", f"The connections are: {known}", "not-found")


def _listed(names: Names) -> Optional[List[str]]:
    """Makes a list of one name or several; None means all.

    >>> _listed("BTC"), _listed(["BTC", "ETH"]), _listed(None)
    (['BTC'], ['BTC', 'ETH'], None)
    """
    return [names] if isinstance(names, str) else None if names is None else [str(name) for name in names]


def _parts(
    dataset: str,
    *,
    base: Names = None,
    symbol: Names = None,
    exchange: Names = None,
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
        of = (connection_id, "metrics", dataset)
        exchange, symbol, base = _meant(index, of, exchange, symbol, base)
        chosen = {"symbol": symbol, "exchange": exchange, "interval": interval, "timestamp": timestamp}
        rows = _rows(index, of, chosen, start_ms, end_ms)
        # Files outside the range count too: whether an interval must be chosen does not depend on the range.
        intervals = _intervals(index, of, chosen, base) if interval is None else []
    finally:
        index.close()
    series = _by_series(rows, base)
    if len(intervals) > 1:
        raise PerpscopeError(f"Choose one interval, because rows of several intervals cannot be mixed: {', '.join(intervals)}")
    root = _root(folder, connection_id)
    return [part for key, found in series.items() for part in _slices(_series_folder(root, dataset, key), key, found, start_ms, end_ms)]


def _condition(of: Tuple[str, str, str], chosen: Mapping[str, Names]) -> Tuple[str, List[Any]]:
    sql, values = "WHERE series.connection_id = ? AND series.kind = ? AND series.dataset = ?", list(of)
    for column, names in chosen.items():
        listed = _listed(names)
        if listed is not None:
            sql += f" AND series.{column} IN ({', '.join('?' for _ in listed)})"
            values += listed
    return sql, values


def _rows(
    index: _sqlite3.Connection,
    of: Tuple[str, str, str],
    chosen: Mapping[str, Names],
    start_ms: Optional[int] = None,
    end_ms: Optional[int] = None,
) -> List[Tuple[Any, ...]]:
    """Lists the files of a choice that overlap a range."""
    sql, values = _condition(of, chosen)
    if start_ms is not None:
        first_day = start_ms // _DAY_MS
        sql += " AND files.start_day > ? AND files.end_day > ?"
        values += [first_day - _LONGEST_PERIOD_DAYS, first_day]
    if end_ms is not None:
        sql += " AND files.start_day < ?"
        values.append(-(-end_ms // _DAY_MS))
    return index.execute(f"{_SELECT} {sql} ORDER BY series.exchange, series.symbol, series.interval", values).fetchall()


def _intervals(index: _sqlite3.Connection, of: Tuple[str, str, str], chosen: Mapping[str, Names], base: Names) -> List[str]:
    sql, values = _condition(of, chosen)
    has_files = "EXISTS (SELECT 1 FROM files WHERE files.series_id = series.id)"
    rows = index.execute(f"SELECT DISTINCT series.symbol, series.interval FROM series {sql} AND {has_files}", values)
    bases = _listed(base)
    return sorted({interval for symbol, interval in rows if bases is None or _base_of(symbol) in bases})


def _letters(name: str) -> str:
    """Reads a name so that `BTC/USDT`, `BTC-USDT` and `btcusdt` are the same.

    >>> _letters("BTC/USDT"), _letters("btc perp")
    ('btcusdt', 'btc')
    """
    folded = _unicodedata.normalize("NFKC", name).casefold()
    return _re.sub(r"[\s/\\:_-]+", "", _re.sub(r"[\s-](perps?|perpetuals?|swaps?)$", "", folded))


def _spellings(symbol: str) -> List[str]:
    """Lists the ways to write a symbol: whole, without its kind, and without a settlement that is its quote currency.

    >>> _spellings("perpetual-BTC-USDT:USDT")
    ['perpetualbtcusdtusdt', 'btcusdtusdt', 'btcusdt']
    """
    pair = symbol[len("perpetual-") :] if symbol.startswith("perpetual-") else symbol
    spellings = [symbol, pair]
    match = _re.match(r"^(.+-([^-:]+)):\2$", pair)
    return [_letters(each) for each in ([*spellings, match[1]] if match else spellings)]


def _is_full(name: str) -> bool:
    return name.startswith("perpetual-") and ":" in name


def _meanings(name: str, symbols: Sequence[str]) -> List[str]:
    """Lists the symbols that a name means.

    >>> _meanings("btc", ["perpetual-BTC-USDT:USDT", "perpetual-BTC-USDC:USDC", "perpetual-ETH-USDT:USDT"])
    ['perpetual-BTC-USDT:USDT', 'perpetual-BTC-USDC:USDC']
    """
    if name in symbols or _is_full(name):
        return [name]
    wanted = _letters(name)
    spelt = [symbol for symbol in symbols if wanted in _spellings(symbol)]
    return spelt or [symbol for symbol in symbols if wanted != "" and _letters(_base_of(symbol)) == wanted]


def _full_symbols(symbol: Names, cached: Sequence[str]) -> Names:
    """Replaces short names by all cached symbols that they mean.

    >>> _full_symbols(["eth", "XYZ"], ["perpetual-ETH-USDT:USDT"])
    ['perpetual-ETH-USDT:USDT', 'XYZ']
    """
    listed = _listed(symbol)
    return None if listed is None else [each for name in listed for each in (_meanings(name, cached) or [name])]


def _full_bases(base: Names, cached: Sequence[str]) -> Names:
    """Replaces base assets in other letters by those of the cached symbols.

    >>> _full_bases("btc", ["perpetual-BTC-USDT:USDT"])
    ['BTC']
    """
    known = sorted({_base_of(each) for each in cached})
    listed = _listed(base)
    if listed is None:
        return None
    return [each for name in listed for each in ([name] if name in known else [one for one in known if _letters(one) == _letters(name)] or [name])]


def _at_venue(exchange: Names, symbol: Names, cached: Sequence[str]) -> Tuple[Names, Names]:
    """Takes the venue of names such as "btc@beta" as the exchange.

    >>> _at_venue(None, "btc@beta", ["alpha", "beta-perps"]), _at_venue("alpha", "btc", ["alpha"])
    ((['beta-perps'], ['btc']), ('alpha', 'btc'))
    """
    split = [name.rpartition("@") for name in _listed(symbol) or []]
    typed = sorted({venue.strip().casefold() if at else "" for _, at, venue in split})
    if typed in ([], [""]):
        return exchange, symbol
    if len(typed) > 1:
        raise PerpscopeError("The symbols are to be read at several venues.", "Read each venue by itself.")
    exact = [venue for venue in cached if venue.casefold() == typed[0]]
    venues = exact or [venue for venue in cached if typed[0] and venue.casefold().startswith(typed[0])]
    if cached and len(venues) != 1:
        problem = f"{typed[0]!r} names {len(venues)} venues: {', '.join(venues)}." if venues else f"No venue of this dataset in the cache is called {typed[0]!r}."
        raise PerpscopeError(problem, f"Cached: {', '.join(cached)}.", "bad-input" if venues else "not-here")
    if exchange is not None and _listed(exchange) != venues:
        raise PerpscopeError("The symbols are to be read at several venues.", "Read each venue by itself.")
    return venues or None, [name.strip() for name, _, _ in split]


def _meant(
    index: _sqlite3.Connection, of: Tuple[str, str, str], exchange: Names, symbol: Names, base: Names
) -> Tuple[Names, Names, Names]:
    """Replaces short names by the cached venues and symbols that they mean; one that means several is refused."""
    if any("@" in name for name in _listed(symbol) or []):
        exchange, symbol = _at_venue(exchange, symbol, _cached(index, of, "exchange", {}))
    if base is None and all(_is_full(name) for name in _listed(symbol) or []):
        return exchange, symbol, base
    cached = _cached(index, of, "symbol", {"exchange": exchange})
    for name in _listed(symbol) or []:
        meanings = _meanings(name, cached)
        if len(meanings) > 1:
            raise PerpscopeError(f"{name!r} names {len(meanings)} symbols: {', '.join(meanings)}.", "Write one of them.")
    return exchange, _full_symbols(symbol, cached), _full_bases(base, cached)


def _cached(index: _sqlite3.Connection, of: Tuple[str, str, str], column: str, chosen: Mapping[str, Names]) -> List[str]:
    """Lists the values of a column of the series that have files."""
    sql, values = _condition(of, chosen)
    has_files = "EXISTS (SELECT 1 FROM files WHERE files.series_id = series.id)"
    rows = index.execute(f"SELECT DISTINCT series.{column} FROM series {sql} AND {has_files} ORDER BY 1", values)
    return [str(row[0]) for row in rows]


def _near(name: str, cached: Sequence[str]) -> List[str]:
    """Lists the cached names that a name begins or that are spelt like it.

    >>> _near("tns", ["perpetual-BTC-USDT:USDT", "perpetual-TNSR-USDT:USDT"]), _near("BTX", ["BTC", "ETH"])
    (['perpetual-TNSR-USDT:USDT'], ['BTC'])
    """
    # Imported here, because only refusals need it.
    from difflib import get_close_matches

    wanted = _letters(_base_of(name))
    bases = {each: _letters(_base_of(each)) for each in cached}
    begun = [each for each, of in bases.items() if wanted != "" and of.startswith(wanted)]
    close = get_close_matches(wanted, list(bases.values()), n=3, cutoff=0.6)
    return begun or [each for each, of in bases.items() if of in close]


def _by_series(rows: List[Tuple[Any, ...]], base: Names) -> Dict[Tuple[str, ...], List[Tuple[Any, ...]]]:
    bases = _listed(base)
    series: Dict[Tuple[str, ...], List[Tuple[Any, ...]]] = {}
    for row in rows:
        if bases is None or _base_of(row[1]) in bases:
            series.setdefault(tuple(row[:4]), []).append(row)
    return series


def _root(folder: _Path, owner: str) -> str:
    return str(folder / "files" / _encode_value(owner, "A-Za-z0-9_.~-"))


def _series_folder(root: str, dataset: str, key: Tuple[str, ...]) -> str:
    """Builds the folder of a series; raw events have neither interval nor clock."""
    exchange, symbol, interval, timestamp = key
    lower = "a-z0-9._-"
    clock = [f"interval={_encode_value(interval, lower)}", f"timestamp={_encode_value(timestamp, lower)}"]
    return _os.path.join(
        root,
        "metrics" if interval else "raw",
        f"dataset={_encode_value(dataset, lower)}",
        f"exchange={_encode_value(exchange, lower)}",
        f"symbol={_encode_symbol(symbol)}",
        *(clock if interval else []),
    )


def _slices(
    folder: str,
    key: Tuple[str, ...],
    rows: List[Tuple[Any, ...]],
    start_ms: Optional[int],
    end_ms: Optional[int],
) -> List[_Part]:
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
        raise _absent(dataset, choice)
    return parts


_SELECT_CACHED = """
SELECT DISTINCT dataset, exchange, symbol, interval, timestamp FROM series
WHERE connection_id = ? AND kind = 'metrics' AND EXISTS (SELECT 1 FROM files WHERE files.series_id = series.id)
"""


def _absent(dataset: str, choice: "_Choice") -> PerpscopeError:
    """Explains which argument of a choice matches no cached series, and which values do."""
    if dataset.startswith("own_"):
        return PerpscopeError(f"{dataset} is a dataset of your own.", f'Read it with: own("{dataset[4:]}")', "not-found")
    index = _open_index(_folder_of(choice.get("data_dir")))
    try:
        connection = _connection_id(index, choice.get("connection"))
        rows = index.execute(_SELECT_CACHED, [connection]).fetchall()
        venues = sorted({str(row[1]) for row in rows if row[0] == dataset})
        exchange, symbol = _at_venue(choice.get("exchange"), choice.get("symbol"), venues)
        computed = index.execute(_SELECT_CACHED, [f"{connection}~computed"]).fetchall()
        raw = index.execute("SELECT 1 FROM series WHERE kind = 'raw' AND dataset = ? LIMIT 1", [dataset]).fetchall()
    finally:
        index.close()
    if raw and all(row[0] != dataset for row in rows):
        return PerpscopeError(f"{dataset} has raw events and no bars.", f'Read them with: events("{dataset}")', "not-found")
    symbols = sorted({str(row[2]) for row in [*rows, *computed]})
    wanted: List[Tuple[str, Any, Callable[[Tuple[Any, ...]], Any]]] = [
        ("dataset", dataset, lambda row: row[0]),
        ("exchange", exchange, lambda row: row[1]),
        ("base", _full_bases(choice.get("base"), symbols), lambda row: _base_of(row[2])),
        ("symbol", _full_symbols(symbol, symbols), lambda row: row[2]),
        ("interval", choice.get("interval"), lambda row: row[3]),
        ("timestamp", choice.get("timestamp", "exchange"), lambda row: row[4]),
    ]
    hint = "Download it with: perpscope fetch"

    def has(row: Tuple[Any, ...], value: Any, value_of: Callable[[Tuple[Any, ...]], Any]) -> bool:
        listed = _listed(value)
        return listed is None or value_of(row) in listed

    if any(all(has(row, value, value_of) for _, value, value_of in wanted) for row in computed):
        hint = f"Computed files have it: read them with perpscope sql, from metrics.{dataset} where origin = 'computed'."
    for name, value, value_of in wanted:
        cached = sorted({str(value_of(row)) for row in rows})
        rows = [row for row in rows if has(row, value, value_of)]
        if not rows:
            near = [each for one in _listed(value) or [] for each in _near(one, cached)] if name in ("symbol", "base") else []
            shown = list(dict.fromkeys([*near, *cached]))
            some = ", ".join(shown[:10]) + (", …" if len(shown) > 10 else "") or "nothing"
            before = "" if name == "dataset" else f"{dataset} with "
            typed = dataset if name == "dataset" else choice.get(name, value)
            return PerpscopeError(f"There is no {before}{name} {typed!r} in the cache. Cached: {some}.", hint, "not-here")
    bounds = [("from", choice.get("start")), ("until", choice.get("end"))]
    within = "".join(f" {word} {value}" for word, value in bounds if value is not None)
    return PerpscopeError(f"No {dataset}{within} is cached for this choice.", "Download it with: perpscope fetch", "not-here")


def _runs(parts: List[_Part]) -> List[List[_Part]]:
    """Groups files that one scan can read: whole ones of a series with the same columns, in order and without duplicate times."""
    runs: List[List[_Part]] = []
    for part in parts:
        last = runs[-1][-1] if runs else None
        same = last is not None and last[:4] == part[:4] and last.columns == part.columns and part.columns != ()
        if same and last is not None and _joins(last) and _joins(part):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _joined_runs(runs: List[List[_Part]]) -> List[List[_Part]]:
    """Joins runs of several series whose files are whole and have the same columns and no duplicate times."""
    joined: List[List[_Part]] = []
    for run in runs:
        before = joined[-1][0] if joined else None
        if before is not None and _joins(before) and _joins(run[0]) and before.columns == run[0].columns != ():
            joined[-1].extend(run)
        else:
            joined.append(list(run))
    return joined


def _joins(part: _Part) -> bool:
    return part.is_whole and _is_clean(part)


def _is_clean(part: _Part) -> bool:
    return part.is_regular and not part.has_duplicates


def _wanted(parts: List[_Part], columns: Optional[Sequence[str]]) -> Optional[List[str]]:
    """Checks the columns to read besides the leading ones; None means all."""
    if columns is None:
        return None
    wanted = [name for name in _listed(columns) or [] if name not in _LEADING]
    known = {name for part in parts for name, _ in part.columns}
    absent = [name for name in wanted if known and name not in known]
    if absent:
        has = ", ".join(sorted(known - set(_LEADING)))
        raise PerpscopeError(f"The files have no column {', '.join(absent)}.", f"They have: {has}", "bad-input")
    return wanted


@_takes_choice
def scan(dataset: str, *, columns: Optional[Sequence[str]] = None, **choice: "Unpack[_Choice]") -> "_polars.LazyFrame":
    """Scans a choice with Polars: the columns `exchange`, `symbol`, `time` and those of the dataset.

    `time` is a Datetime in milliseconds and UTC, whatever the files hold. Rows are in order of time within a series; of
    equal times the last counts, as in `perpscope read`.
    """
    parts = _chosen(dataset, choice)
    runs, wanted = _runs(parts), _wanted(parts, columns)
    _needs("polars")
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
        others = [name for name in names if name not in _LEADING and (wanted is None or name in wanted)]
        labels = [pl.lit(part.exchange).alias("exchange"), pl.lit(part.symbol).alias("symbol")]
        return frame.select(*labels, "time", *others)

    frames = [read(run) for run in runs]
    return frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal_relaxed")


@_takes_choice
def pandas(dataset: str, *, columns: Optional[Sequence[str]] = None, **choice: "Unpack[_Choice]") -> "_pandas.DataFrame":
    """Reads a choice as a pandas DataFrame with the columns of `scan`; `time` is datetime64[ms, UTC]."""
    parts = _chosen(dataset, choice)
    runs, wanted = _joined_runs(_runs(parts)), _wanted(parts, columns)
    _needs("pandas", "pyarrow")
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    time_type = pa.timestamp("ms", tz="UTC")

    def read(run: List[_Part]) -> "_pandas.DataFrame":
        # The files of a run have the same columns, so that Arrow reads them at once, on all processors. To make a frame
        # of each series and to join them would take several times as long.
        part = run[0]
        source = ds.dataset([each.path for each in run], format="parquet", partitioning=None)
        names = [name for name in source.schema.names if name not in _LEADING and (wanted is None or name in wanted)]
        table = source.to_table(columns=["time", *names, "__fragment_index"])
        time = table["time"]
        if not pa.types.is_timestamp(time.type):
            time = pc.cast(time, pa.int64())
        table = table.set_column(0, "time", pc.cast(time, time_type, safe=False))
        if not part.is_whole:
            first, last = (pa.scalar(each, pa.timestamp("ms", tz="UTC")) for each in (part.start_ms, part.end_ms))
            table = table.filter(pc.and_(pc.greater_equal(table["time"], first), pc.less(table["time"], last)))
        frame = table.to_pandas()
        if not _is_clean(part):
            frame = frame.dropna(subset=["time"]).drop_duplicates("time", keep="last").sort_values("time", kind="stable")
        files = frame.pop("__fragment_index").to_numpy()
        frame.insert(0, "exchange", pd.Series([each.exchange for each in run]).take(files).array)
        frame.insert(1, "symbol", pd.Series([each.symbol for each in run]).take(files).array)
        return frame

    frames = [read(run) for run in runs]
    return frames[0].reset_index(drop=True) if len(frames) == 1 else pd.concat(frames, ignore_index=True)


@_takes_choice
def duckdb(
    con: "_duckdb.DuckDBPyConnection",
    dataset: str,
    *,
    columns: Optional[Sequence[str]] = None,
    **choice: "Unpack[_Choice]",
) -> "_duckdb.DuckDBPyRelation":
    """Makes a relation of a choice on a connection of DuckDB, with the columns of `scan`; `time` is TIMESTAMPTZ."""
    parts = _chosen(dataset, choice)
    wanted = _wanted(parts, columns)

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

    relation = con.sql(" UNION ALL BY NAME ".join(select(run) for run in _runs(parts)))
    if wanted is None:
        return relation
    return relation.project(", ".join('"' + name.replace('"', '""') + '"' for name in [*_LEADING, *wanted]))


_CLOCKS = {"exchange": "exchange_timestamp", "true": "local_timestamp"}


def events(
    dataset: str,
    *,
    base: Names = None,
    symbol: Names = None,
    exchange: Names = None,
    timestamp: str = "exchange",
    start: When = None,
    end: When = None,
    columns: Optional[Sequence[str]] = None,
    connection: Optional[str] = None,
    data_dir: Union[str, _Path, None] = None,
) -> "_polars.LazyFrame":
    """Scans raw events, such as "trades", with Polars: `exchange`, `symbol`, `time` and the columns of the files.

    `time` is a Datetime in microseconds and UTC: the exchange's time, or with timestamp="true" that of arrival. Rows are
    in order of this time within a symbol.
    """
    if timestamp not in _CLOCKS:
        raise PerpscopeError(f"There is no clock {timestamp!r}.", 'Choose "exchange" or "true".')
    folder = _folder_of(data_dir)
    start_ms, end_ms = _instant_ms(start, False), _instant_ms(end, True)
    index = _open_index(folder)
    try:
        connection_id = _connection_id(index, connection)
        of = (connection_id, "raw", dataset)
        exchange, symbol, base = _meant(index, of, exchange, symbol, base)
        rows = _rows(index, of, {"symbol": symbol, "exchange": exchange})
    finally:
        index.close()
    root = _root(folder, connection_id)
    # Events arrive after they happen, also after midnight, so that the days beside the range are looked at too.
    first, last = (None if start_ms is None else start_ms - _DAY_MS), (None if end_ms is None else end_ms + _DAY_MS)
    found: Dict[Tuple[str, ...], List[_Part]] = {}
    for key, of_series in _by_series(rows, base).items():
        parts = _slices(_series_folder(root, dataset, key), key, of_series, first, last)
        if parts:
            found[key] = parts
    if not found:
        raise PerpscopeError(f"No raw events of {dataset} are cached for this choice.", "Download them with: perpscope fetch --raw", "not-here")
    _needs("polars")
    import polars as pl

    time_type = pl.Datetime("us", "UTC")

    def read(key: Tuple[str, ...], parts: List[_Part]) -> "_polars.LazyFrame":
        paths = list(dict.fromkeys(part.path for part in parts))
        frame = pl.scan_parquet(paths, hive_partitioning=False)
        kind = frame.collect_schema()[_CLOCKS[timestamp]]
        time = pl.col(_CLOCKS[timestamp])
        time = time.cast(pl.Int64).cast(time_type) if kind.is_integer() else time.cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
        frame = frame.with_columns(time.alias("time"), pl.lit(key[0]).alias("exchange"), pl.lit(key[1]).alias("symbol"))
        if start_ms is not None:
            frame = frame.filter(pl.col("time") >= pl.lit(start_ms * 1000).cast(time_type))
        if end_ms is not None:
            frame = frame.filter(pl.col("time") < pl.lit(end_ms * 1000).cast(time_type))
        names = frame.collect_schema().names()
        wanted = _listed(columns)
        others = [name for name in names if name not in _LEADING and (wanted is None or name in wanted)]
        return frame.select(*_LEADING, *others).sort("time", maintain_order=True)

    frames = [read(key, parts) for key, parts in found.items()]
    return frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal_relaxed")


def own(
    name: str,
    *,
    start: When = None,
    end: When = None,
    columns: Optional[Sequence[str]] = None,
    data_dir: Union[str, _Path, None] = None,
) -> "_polars.LazyFrame":
    """Scans a dataset of your own files, as added with `perpscope data add`, with Polars; `own_flows` is `flows`.

    The columns are `exchange`, `symbol` (null where the dataset has none), `time`, `known_at` (from when on a row may be
    used), the label if there is one, and the numbers. Times are Datetimes in microseconds and UTC.
    """
    folder = _folder_of(data_dir)
    index = _open_index(folder)
    try:
        names = [str(row[0]) for row in index.execute("SELECT name FROM own_datasets ORDER BY name")]
        if name not in names:
            name = name.removeprefix("own_")
        if name not in names:
            known = ", ".join(names) or "none"
            raise PerpscopeError(f"There is no dataset {name!r} of your own.", f"Those that there are: {known}", "not-found")
        record: Dict[str, Any] = _json.loads(index.execute("SELECT record FROM own_datasets WHERE name = ?", [name]).fetchone()[0])
        parts = index.execute("SELECT month, sha256 FROM own_parts WHERE name = ? ORDER BY month", [name]).fetchall()
    finally:
        index.close()
    paths = [str(folder / "files" / "own" / name / f"month={month}" / f"{sha256[:32]}.parquet") for month, sha256 in parts]
    if not paths:
        raise PerpscopeError(f"The rows of {name} are not on this machine.", f"Read its files again with: perpscope data refresh {name}", "not-here")
    _needs("polars")
    import polars as pl

    time_type = pl.Datetime("us", "UTC")

    def place(of: str) -> "_polars.Expr":
        given = record.get(of)
        if given is None:
            return pl.lit(None, pl.String).alias(of)
        return pl.lit(str(given["value"])).alias(of) if "value" in given else pl.col(of)

    frame = pl.scan_parquet(paths, hive_partitioning=False)
    kind = frame.collect_schema()["time"]
    time = pl.col("time").cast(pl.Int64).cast(time_type) if kind.is_integer() else pl.col("time").cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
    frame = frame.with_columns(time)
    bounds = (_instant_ms(start, False), _instant_ms(end, True))
    if bounds[0] is not None:
        frame = frame.filter(pl.col("time") >= pl.lit(bounds[0] * 1000).cast(time_type))
    if bounds[1] is not None:
        frame = frame.filter(pl.col("time") < pl.lit(bounds[1] * 1000).cast(time_type))
    delay = pl.duration(milliseconds=int(record.get("intervalMs") or 0) + int(record["knownAfterMs"]))
    label = record.get("label")
    numbers = [str(column["name"]) for column in record["columns"]]
    wanted = _listed(columns)
    absent = [each for each in wanted or [] if each not in numbers]
    if absent:
        raise PerpscopeError(f"{name} has no column {', '.join(absent)}.", f"It has: {', '.join(numbers)}")
    known_at = (pl.col("time") + delay).alias("known_at")
    labels = [] if label is None else [str(label)]
    return frame.select(place("exchange"), place("symbol"), "time", known_at, *labels, *(numbers if wanted is None else wanted))


_ARROW_STREAM = "application/vnd.apache.arrow.stream"


def _no_local_api() -> PerpscopeError:
    return PerpscopeError("The local API is not running.", "Start it with: perpscope serve --api", "unreachable")


def _request(path: str, body: Any, folder: Union[str, _Path, None], accept: str = "application/json") -> bytes:
    """Sends a request to the local API, whose address and token are in the data folder."""
    # Imported here, because most programs send none.
    import urllib.request as request

    access = _folder_of(folder) / "door"
    try:
        url = str(_json.loads((access / "address.json").read_text("utf-8"))["url"])
        token = (access / "token").read_text("utf-8").strip()
    except (OSError, ValueError, KeyError) as thrown:
        raise _no_local_api() from thrown
    if not _re.fullmatch(r"http://127\.0\.0\.1:\d{1,5}", url):
        raise _no_local_api()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept": accept}
    prepared = request.Request(url + path, _json.dumps(body).encode("utf-8"), headers)
    try:
        # A proxy would get the token.
        with request.build_opener(request.ProxyHandler({})).open(prepared) as answer:
            return bytes(answer.read())
    except _HTTPError as thrown:
        try:
            error = _json.loads(thrown.read())["error"]
            message, code = str(error["message"]), str(error.get("code", "refused"))
        except (ValueError, KeyError):
            message, code = str(thrown), "refused"
        raise PerpscopeError(message, code=code) from thrown
    except _URLError as thrown:
        raise _no_local_api() from thrown


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
    _needs("polars")
    import polars as pl

    place = {"exchange": exchange, "symbol": symbol, "interval": interval, "timestamp": timestamp}
    body = {"formula": formula, "start": start, "end": end, **place}
    frame = pl.read_ipc_stream(_io.BytesIO(_request("/v1/formula", body, data_dir, _ARROW_STREAM)))
    return frame.with_columns(pl.col("time").cast(pl.Datetime("ms", "UTC")))


def sql(
    query: str,
    parameters: Optional[Mapping[str, Any]] = None,
    *,
    limit: int = 100_000,
    data_dir: Union[str, _Path, None] = None,
) -> "_polars.DataFrame":
    """Runs one SELECT (DuckDB) over the cache: a Polars DataFrame. Values of the parameters ($name) stand beside it."""
    _needs("polars")
    import polars as pl

    given = {name: str(value) for name, value in (parameters or {}).items()}
    body = {"sql": query, "parameters": given, "limit": limit}
    return pl.read_ipc_stream(_io.BytesIO(_request("/v1/sql", body, data_dir, _ARROW_STREAM)))


_HISTORIES = ("returns", "weights", "factors", "prices", "universe", "overlays", "regimes")
_HISTORY_KEYS = ("portfolio", "factor", "ticker", "overlay", "regime", "size", "smoothing", "exchange")


def history(
    kind: str,
    *,
    start: Optional[str] = None,
    end: Optional[str] = None,
    data_dir: Union[str, _Path, None] = None,
    **which: Names,
) -> "_polars.DataFrame":
    """Reads a cached history of the portfolio service: history("returns", portfolio="momentum_ls.20").

    `kind` is returns, weights, factors, prices, universe, overlays or regimes; `which` chooses by the columns of that
    table: portfolio, factor, ticker, overlay, regime, size, smoothing, exchange, each a name or a list. Days are inclusive.
    """
    if kind not in _HISTORIES:
        raise PerpscopeError(f"There is no history of {kind!r}.", f"Choose one of: {', '.join(_HISTORIES)}")
    parameters: Dict[str, str] = {}
    conditions: List[str] = []
    for key, names in which.items():
        if key not in _HISTORY_KEYS:
            raise PerpscopeError(f"A history is not chosen by {key!r}.", f"Choose by: {', '.join(_HISTORY_KEYS)}")
        listed = _listed(names)
        if listed is not None:
            own_names = {f"{key}{at}": name for at, name in enumerate(listed)}
            conditions.append(f"CAST({key} AS VARCHAR) IN ({', '.join('$' + name for name in own_names)})")
            parameters.update(own_names)
    for sign, name, day in ((">=", "from_day", start), ("<=", "to_day", end)):
        if day is not None:
            conditions.append(f"day {sign} CAST(${name} AS DATE)")
            parameters[name] = day
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return sql(f"SELECT * FROM portfolio.{kind}{where} ORDER BY day", parameters, limit=1_000_000, data_dir=data_dir)


def study(document: Union[Mapping[str, Any], str, _Path], *, data_dir: Union[str, _Path, None] = None) -> Dict[str, Any]:
    """Runs a study of cached data, given as its document or its JSON file, and returns the result; the run is recorded in the ledger."""
    given = document if isinstance(document, Mapping) else _document_of(_Path(document))
    result: Dict[str, Any] = _json.loads(_request("/v1/studies", dict(given), data_dir))
    return result


def _document_of(path: _Path) -> Mapping[str, Any]:
    try:
        document = _json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PerpscopeError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise PerpscopeError(f"{path} is no JSON: {error}.", "Leave out comments; only the command line reads them.") from error
    if not isinstance(document, Mapping):
        raise PerpscopeError(f"{path} is no document of a study.")
    return document


def portfolio(document: Mapping[str, Any], *, data_dir: Union[str, _Path, None] = None) -> Dict[str, Any]:
    """Runs a tested portfolio on cached data, given as its document, and returns the result; the run is recorded in the ledger."""
    return study({"version": 1, "kind": "portfolio", **document}, data_dir=data_dir)


def blend(
    components: Sequence[Mapping[str, Any]],
    *,
    start: str,
    end: str,
    data_dir: Union[str, _Path, None] = None,
    **fields: Any,
) -> Dict[str, Any]:
    """Blends factors, portfolios, tests and own weights; `fields` are those of `perpscope study schema blend`.

    A component is such as {"from": {"factor": "momentum"}, "weight": 1}. The run is recorded in the ledger.
    """
    document = {"version": 1, "kind": "blend", "start": start, "end": end, "components": [dict(each) for each in components]}
    return study({**document, **fields}, data_dir=data_dir)


def plan(
    *,
    weights: str,
    capital: float,
    data_dir: Union[str, _Path, None] = None,
    **fields: Any,
) -> Dict[str, Any]:
    """Works out the trades from target weights, such as "live:momentum_ls.20", to capital; nothing is ever sent.

    `fields` are those of POST /v1/plan, such as band=0.01; positions, aliases, prices and lots are the text of a CSV file.
    """
    tables = ("positions", "aliases", "prices", "lots")
    given = {name: {"file": f"{name}.csv", "text": value} if name in tables and isinstance(value, str) else value for name, value in fields.items()}
    body = {"weights": weights, "capital": capital, **given}
    result: Dict[str, Any] = _json.loads(_request("/v1/plan", body, data_dir))
    return result
