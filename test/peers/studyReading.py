"""Second implementation of the studies with pandas and NumPy, with one statement per definition and without code of the app.

`run(study, panel, against)` takes a study document with every default filled in and paths of panels; it returns the result
as the app prints it, without the texts of warnings.
"""
import ast
import json
import math
import re

import numpy as np
import pandas as pd

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
DAY = 86_400_000


def interval_ms(text):
    return int(text[:-1]) * UNITS[text[-1]] * 1000


# Student's distribution is computed by the continued fraction of the incomplete beta function.
def incomplete_beta(a, b, x):
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x >= (a + 1) / (a + b + 2):
        return 1 - beta_fraction(b, a, 1 - x)
    return beta_fraction(a, b, x)


def beta_fraction(a, b, x):
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    tiny, c, d = 1e-300, 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d or tiny)
    result = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / ((1 + numerator * d) or tiny)
            c = (1 + numerator / c) or tiny
            result *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * result / a


def student_p(t, df):
    return incomplete_beta(df / 2, 0.5, df / (df + t * t))


def student_975(df):
    low, high = 0.0, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        if student_p(middle, df) > 0.05:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def varies(x):
    x = np.asarray(x, float)
    return len(x) > 0 and x.max() - x.min() > 1e-12 * np.abs(x).max()


def correlation(x, y):
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 2 or not varies(x) or not varies(y):
        return None
    a, b = x - x.mean(), y - y.mean()
    r = float((a / np.sqrt((a * a).sum()) * (b / np.sqrt((b * b).sum()))).sum())
    for whole in (-1.0, 0.0, 1.0):
        if abs(r - whole) <= 1e-12:
            return whole
    return r


def ranks(x):
    return pd.Series(np.asarray(x, float)).rank(method="average").to_numpy()


def spearman(x, y):
    if len(x) < 2 or not varies(x) or not varies(y):
        return None
    return correlation(ranks(x), ranks(y))


def quantile(values, q):
    values = np.sort(np.asarray(values, float))
    if len(values) == 0:
        return None
    place = (len(values) - 1) * q
    if abs(place - round(place)) <= 1e-9:
        return float(values[round(place)])
    below = math.floor(place)
    return float(values[below] + (values[below + 1] - values[below]) * (place - below))


def spread_of(x):
    x = np.asarray(x, float)
    n = len(x)
    mean = float(x.sum() / n) if n else None
    sd = None if n < 2 else (float(np.sqrt(((x - mean) ** 2).sum() / (n - 1))) if varies(x) else 0.0)
    return {"n": n, "mean": mean, "sd": sd}


NONE = {"t": None, "p": None, "low": None, "high": None}


def estimate(x):
    x = np.asarray([v for v in x if not math.isnan(v)], float)
    s = spread_of(x)
    if s["sd"] is None:
        return {**s, "se": None, **NONE}
    se = s["sd"] / math.sqrt(s["n"])
    if s["sd"] == 0:
        return {**s, "se": se, **NONE}
    t = s["mean"] / se
    half = student_975(s["n"] - 1) * se
    return {**s, "se": se, "t": t, "p": student_p(t, s["n"] - 1), "low": s["mean"] - half, "high": s["mean"] + half}


def newey_west(grid, lags):
    grid = np.asarray(grid, float)
    s = spread_of(grid[~np.isnan(grid)])
    n = s["n"]
    if s["sd"] is None:
        return {**s, "se": None, **NONE}
    if s["sd"] == 0:
        return {**s, "se": 0.0, **NONE}
    u = np.where(np.isnan(grid), 0.0, grid - s["mean"])
    gamma = lambda l: float((u[l:] * u[: len(u) - l]).sum() / n) if l < len(u) else 0.0
    square = (gamma(0) + 2 * sum((1 - l / (lags + 1)) * gamma(l) for l in range(1, lags + 1))) / n
    if square <= 0:
        return {**s, "se": None, **NONE}
    se = math.sqrt(square)
    t = s["mean"] / se
    half = 1.959963984540054 * se
    return {**s, "se": se, "t": t, "p": math.erfc(abs(t) / math.sqrt(2)), "low": s["mean"] - half, "high": s["mean"] + half}


def false_discovery(ps):
    order = sorted((p, at) for at, p in enumerate(ps) if p is not None)
    m = len(order)
    q = [None] * len(ps)
    for k, (_, at) in enumerate(order):
        q[at] = min(1.0, min(order[j][0] * m / (j + 1) for j in range(k, m)))
    return q, {"count": m, "significant": sum(v is not None and v <= 0.05 for v in q)}


# Panels are read and placed on their grid here.
NOTHING = re.compile(r"^\s*([+-]?(nan|null|inf|infinity))?\s*$", re.I)


def read_time(text):
    if re.fullmatch(r"-?\d+", text):
        return float(text)
    stamp = pd.Timestamp(text.replace(" ", "T").replace("+00:00", "Z"))
    return stamp.value / 1e6


def read_panel(path):
    if path.endswith(".csv"):
        rows = pd.read_csv(path, dtype=str, keep_default_na=False, skip_blank_lines=True, encoding="utf-8")
        rows["time"] = [read_time(text) for text in rows["time"]]
        for name in rows.columns.difference(["time", "symbol", "member"]):
            texts = rows[name].tolist()
            try:
                rows[name] = [math.nan if NOTHING.match(text) else float(text) for text in texts]
            except ValueError:
                rows = rows.drop(columns=name)
        if "member" in rows:
            rows["member"] = [text.lower() in ("true", "1") for text in rows["member"]]
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pq.read_table(path)
        time = table["time"]
        if pa.types.is_timestamp(time.type):
            per_ms = {"s": 1e-3, "ms": 1.0, "us": 1e3, "ns": 1e6}[time.type.unit]
            times = np.asarray(time.cast(pa.int64()).to_pylist(), float) / per_ms
        else:
            times = np.asarray(time.to_pylist(), float)
        columns = {"time": times, "symbol": table["symbol"].to_pylist()}
        for name in table.column_names:
            kind = table[name].type
            if name == "member":
                columns[name] = [str(v).lower() in ("true", "1", "1.0") for v in table[name].to_pylist()]
            elif name not in columns and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
                columns[name] = [math.nan if v is None else float(v) for v in table[name].to_pylist()]
        rows = pd.DataFrame(columns)
    numbers = rows.columns.difference(["time", "symbol", "member"])
    rows[numbers] = rows[numbers].where(np.isfinite(rows[numbers].astype(float)), np.nan)
    return rows


def instant(text):
    return pd.Timestamp(text.replace("Z", "")).value / 1e6


class Panel:
    def __init__(self, path, study):
        rows = read_panel(path)
        step = interval_ms(study["interval"])
        start, end = study["start"], study["end"]
        if start is not None:
            rows = rows[rows["time"] >= instant(start)]
        if end is not None:
            rows = rows[rows["time"] < instant(end) + (0 if "T" in end else DAY)]
        last = rows.drop_duplicates(["time", "symbol"], keep="last")
        self.rows, self.duplicates = len(rows), len(rows) - len(last)
        # The symbols are sorted by their UTF-16 code units, as in JavaScript.
        self.symbols = sorted(last["symbol"].unique(), key=lambda name: name.encode("utf-16-be"))
        self.times = np.arange(last["time"].min(), last["time"].max() + step, step)
        self.step = step
        grid = lambda column, fill: (
            last.pivot(index="time", columns="symbol", values=column)
            .reindex(index=self.times, columns=self.symbols)
            .to_numpy()
        )
        self.has_row = ~np.isnan(last.assign(one=1.0).pivot(index="time", columns="symbol", values="one").reindex(index=self.times, columns=self.symbols).to_numpy(float))
        self.member = np.ones_like(self.has_row)
        if "member" in last:
            self.member = grid("member", False) == True  # noqa: E712
        names = last.columns.difference(["time", "symbol", "member"])
        self.columns = {name: grid(name, np.nan).astype(float) for name in names}

    def data(self):
        return {
            "rows": self.rows,
            "duplicates": self.duplicates,
            "missingRows": int((~self.has_row).sum()),
            "symbols": len(self.symbols),
            "times": len(self.times),
            "firstTime": int(self.times[0]),
            "lastTime": int(self.times[-1]),
        }


# Formulas are read by Python's own parser after small changes of spelling.
OPERATORS = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Mod: np.fmod, ast.Pow: np.power,
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Eq: np.equal, ast.NotEq: np.not_equal,
}  # fmt: skip


class Formula:
    def __init__(self, panel):
        self.panel = panel

    def matrix(self, text):
        text = re.sub(r"\bif\(", "if_(", text).replace("^", "**")
        with np.errstate(all="ignore"):
            return np.asarray(self.of(ast.parse(text, mode="eval").body), float)

    def cell(self, function, *operands):
        missing = sum(np.isnan(operand) for operand in operands) > 0
        value = np.asarray(function(*operands), float)
        return np.where(missing | ~np.isfinite(value), np.nan, value)

    def of(self, node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self.panel.columns[ast.unparse(node)]
        if isinstance(node, ast.UnaryOp):
            value = self.of(node.operand)
            return self.cell(lambda v: v == 0, value) if isinstance(node.op, ast.Not) else self.cell(np.negative, value)
        if isinstance(node, ast.BinOp):
            return self.cell(OPERATORS[type(node.op)], self.of(node.left), self.of(node.right))
        if isinstance(node, ast.Compare):
            return self.cell(OPERATORS[type(node.ops[0])], self.of(node.left), self.of(node.comparators[0]))
        if isinstance(node, ast.BoolOp):
            both = (lambda a, b: (a != 0) & (b != 0)) if isinstance(node.op, ast.And) else (lambda a, b: (a != 0) | (b != 0))
            values = [self.of(value) for value in node.values]
            result = values[0]
            for value in values[1:]:
                result = self.cell(both, result, value)
            return result
        return getattr(self, "f_" + node.func.id)(*[self.of(arg) for arg in node.args])

    def frame(self, x):
        return pd.DataFrame(x)

    def f_log(self, x):
        return self.cell(lambda v: np.where(v > 0, np.log(np.where(v > 0, v, 1)), np.nan), x)

    def f_abs(self, x):
        return self.cell(np.abs, x)

    def f_sign(self, x):
        return self.cell(np.sign, x)

    def f_sqrt(self, x):
        return self.cell(np.sqrt, x)

    def f_min(self, *xs):
        result = xs[0]
        for x in xs[1:]:
            result = self.cell(np.minimum, result, x)
        return result

    def f_max(self, *xs):
        result = xs[0]
        for x in xs[1:]:
            result = self.cell(np.maximum, result, x)
        return result

    def f_ratio(self, a, b):
        return self.cell(np.divide, a, b)

    def f_if_(self, condition, yes, no):
        shape = np.shape(condition)
        yes, no = np.broadcast_to(yes, shape), np.broadcast_to(no, shape)
        return np.where(np.isnan(condition), np.nan, np.where(condition != 0, yes, no))

    def f_lag(self, x, n=1):
        return self.frame(x).shift(n).to_numpy()

    def f_diff(self, x, n=1):
        return self.cell(np.subtract, x, self.f_lag(x, n))

    def f_pct(self, x, n=1):
        return self.cell(lambda a, b: np.where(b == 0, np.nan, (a / b - 1) * 100), x, self.f_lag(x, n))

    def window(self, x, n, least):
        return self.frame(x).rolling(n, min_periods=n if least is None else least)

    def f_sum(self, x, n, least=None):
        return self.window(x, n, least).apply(np.nansum, raw=True).to_numpy()

    def f_sma(self, x, n, least=None):
        return self.window(x, n, least).apply(np.nanmean, raw=True).to_numpy()

    def f_std(self, x, n, least=None):
        return self.window(x, n, least).apply(lambda v: np.nan if (~np.isnan(v)).sum() < 2 else np.nanstd(v, ddof=1), raw=True).to_numpy()

    def f_zscore(self, x, n, least=None):
        return self.cell(lambda v, m, s: np.where(s == 0, np.nan, (v - m) / s), x, self.f_sma(x, n, least), self.f_std(x, n, least))

    def f_rank(self, x, n, least=None):
        def place(v):
            own, present = v[-1], v[~np.isnan(v)]
            if np.isnan(own) or len(present) < 2:
                return np.nan
            return ((present < own).sum() + ((present == own).sum() - 1) / 2) / (len(present) - 1)

        return self.window(x, n, least).apply(place, raw=True).to_numpy()

    def f_cumsum(self, x):
        return np.where(np.isnan(x), np.nan, np.nancumsum(x, axis=0))

    def f_resample(self, x, interval, way):
        long, step = interval_ms(interval), self.panel.step
        times = self.panel.times
        bins = pd.Series(times // long)
        whole = bins.map(lambda b: b * long >= times[0] and (b + 1) * long <= times[-1] + step)
        frame = self.frame(x)[whole.to_numpy()]
        kind = {"sum": lambda g: g.sum(min_count=1)}.get(way, lambda g: getattr(g, way)())
        longer = kind(frame.groupby(bins[whole.to_numpy()].to_numpy()))
        ended = (times + step) // long - 1
        return longer.reindex(ended).to_numpy()

    def across(self, of, x, *others):
        result = np.full(np.shape(x), np.nan)
        for t in range(len(x)):
            use = self.panel.member[t] & ~np.isnan(x[t])
            for other in others:
                use &= ~np.isnan(other[t])
            if use.any():
                result[t, use] = of(x[t, use], *[other[t, use] for other in others])
        return np.where(np.isfinite(result), result, np.nan)

    def f_cs_rank(self, x):
        return self.across(lambda v: (ranks(v) - 0.5) / len(v), x)

    def f_cs_zscore(self, x):
        return self.across(lambda v: (v - v.mean()) / v.std(ddof=1) if len(v) > 1 and varies(v) else np.full(len(v), np.nan), x)

    def f_cs_demean(self, x):
        return self.across(lambda v: v - v.mean(), x)

    def f_cs_winsor(self, x, q):
        return self.across(lambda v: np.minimum(np.maximum(v, quantile(v, q)), -quantile(-v, q)), x)

    def f_cs_neutral(self, x, y):
        def rest(v, w):
            if len(v) < 3:
                return np.full(len(v), np.nan)
            a, b = v - v.mean(), w - w.mean()
            beta = (a * b).sum() / (b * b).sum() if varies(w) else 0.0
            e = a - beta * b
            return np.where(np.abs(e) <= 1e-12 * np.abs(a).max(), 0.0, e)

        return self.across(rest, x, y)


def positive(price):
    return np.where(price > 0, price, np.nan)


def shifted(matrix, bars):
    """Returns a matrix whose row t is row t + bars; rows outside the grid are missing."""
    rows = np.full_like(matrix, np.nan)
    n = len(matrix)
    from_, to = max(0, -bars), min(n, n - bars)
    if to > from_:
        rows[from_:to] = matrix[from_ + bars : to + bars]
    return rows


def returns_of(p, d, h):
    r = shifted(p, d + h) / shifted(p, d) - 1
    return np.where(np.isfinite(r), r, np.nan)


def by_calendar(times, values, of, name):
    """Groups values by the label of their times, in ascending order of the labels."""
    groups = {}
    for time, value in zip(times, values):
        groups.setdefault(of(pd.Timestamp(int(time), unit="ms")), []).append(value)
    return [(name, key, groups[key]) for key in sorted(groups)]


month = lambda stamp: stamp.strftime("%Y-%m")
hour = lambda stamp: stamp.hour
weekday = lambda stamp: stamp.isoweekday()
CALENDAR = {"byMonth": ("month", month), "byHour": ("hour", hour), "byWeekday": ("weekday", weekday)}


def coverage(panel, values):
    members = int(panel.member.sum())
    present = int((panel.member & ~np.isnan(values)).sum())
    return {"members": members, "present": present, "share": present / members if members else None}


def horizon_of(panel, study, s, p, h, d):
    T, S = s.shape
    Q = study["quantiles"]
    least = max(3, Q)
    index = np.arange(T)[:, None] * np.ones((1, S), int)
    entry, r = shifted(p, d), returns_of(p, d, h)
    missing = np.isnan(s)
    before = np.vstack([np.zeros((1, S), bool), np.logical_or.accumulate(~missing, axis=0)[:-1]]) if T else missing
    complete = panel.member & ~missing & ~np.isnan(r)
    thin_time = (complete.sum(axis=1) < least)[:, None] & np.ones((1, S), bool)
    reasons = {
        "notMember": ~panel.member,
        "noRow": missing & ~panel.has_row,
        "warmUp": missing & ~before,
        "noSignal": missing,
        "noEntryPrice": (index + d < T) & np.isnan(entry),
        "noExitPrice": (index + d + h < T) & np.isnan(r),
        "beyondEnd": index + d + h >= T,
        "thinTime": thin_time,
        "used": np.ones((T, S), bool),
    }
    attrition, left = {"cells": T * S}, np.ones((T, S), bool)
    for name, applies in reasons.items():
        attrition[name] = int((left & applies).sum())
        left &= ~applies
    count = complete.sum(axis=1)
    valid = [t for t in range(T) if count[t] >= least]
    rank, pearson = np.full(T, np.nan), np.full(T, np.nan)
    for t in valid:
        use = complete[t]
        for into, of in ((rank, spearman), (pearson, correlation)):
            value = of(s[t, use], r[t, use])
            into[t] = np.nan if value is None else value
    apart = [t for t in valid if (t - valid[0]) % h == 0]
    return {"attrition": attrition, "complete": complete, "returns": r, "valid": valid, "apart": apart, "rank": rank, "pearson": pearson,
            "times": {"all": T, "used": len(valid), "thin": int(((count > 0) & (count < least)).sum()), "empty": int((count == 0).sum())}}  # fmt: skip


def coefficient(found, values, h):
    def extra(e, xs):
        xs = np.asarray([x for x in xs if not math.isnan(x)])
        signed = (xs != 0).sum()
        ratio = None if not e["sd"] else e["mean"] / e["sd"]
        return {**e, "ratio": ratio, "hitRate": float((xs > 0).sum() / signed) if signed else None}

    apart = [values[t] for t in found["apart"]]
    return {"nonOverlapping": extra(estimate(apart), apart), "all": extra(newey_west(values, 2 * h), values), "naive": extra(estimate(values), values)}


def signal_horizon(panel, study, s, p, h):
    d, Q = study["delayBars"], study["quantiles"]
    found = horizon_of(panel, study, s, p, h, d)
    T = len(s)
    samples = found["valid"] if study["sampling"] == "all" else found["apart"]
    fit = (lambda x: newey_west(x, 2 * h)) if study["sampling"] == "all" else estimate
    groups, group_returns = {}, {g: np.full(T, np.nan) for g in range(1, Q + 1)}
    sizes = {g: [] for g in range(1, Q + 1)}

    def groups_at(t):
        use = np.flatnonzero(found["complete"][t])
        twice = np.rint(2 * ranks(s[t, use])).astype(int)
        return {int(symbol): 1 + (int(k) - 1) * Q // (2 * len(use)) for symbol, k in zip(use, twice)}

    def mean_return(t, own, g):
        chosen = [symbol for symbol in own if own[symbol] == g]
        return float(np.mean(found["returns"][t, chosen])) if chosen else math.nan

    for t in samples:
        groups[t] = groups_at(t)
        for g in range(1, Q + 1):
            sizes[g].append(sum(value == g for value in groups[t].values()))
            group_returns[g][t] = mean_return(t, groups[t], g)
    turnover, autocorrelation = {g: [] for g in range(1, Q + 1)}, []
    for earlier, later in zip(samples, samples[1:]):
        for g in range(1, Q + 1):
            was = {symbol for symbol, own in groups[earlier].items() if own == g}
            now = {symbol for symbol, own in groups[later].items() if own == g}
            if was and now:
                turnover[g].append(len(now - was) / len(now))
        both = sorted(groups[earlier].keys() & groups[later].keys())
        value = spearman(s[later, both], s[earlier, both]) if len(both) >= 3 else None
        if value is not None:
            autocorrelation.append(value)
    mean_of = lambda xs: {"n": len(xs), "mean": float(np.mean(xs)) if xs else None}
    paths, spread_path, levels = {g: [] for g in range(1, Q + 1)}, [], {}
    for t in found["apart"]:
        own = groups_at(t)
        values = {g: mean_return(t, own, g) for g in range(1, Q + 1)}
        values["spread"] = values[Q] - values[1]
        for key, value in values.items():
            levels[key] = levels.get(key, 1.0) * (1.0 if math.isnan(value) else 1 + value)
            (spread_path if key == "spread" else paths[key]).append(levels[key])
    rank, valid = found["rank"], found["valid"]
    known = [t for t in valid if not math.isnan(rank[t])]
    clean = lambda x: None if math.isnan(x) else float(x)
    return {
        "horizon": h,
        "attrition": found["attrition"],
        "times": found["times"],
        "rankIc": coefficient(found, rank, h),
        "pearsonIc": coefficient(found, found["pearson"], h),
        **{key: [{name: label, **spread_of(xs)} for name, label, xs in by_calendar(panel.times[known], rank[known], of, name)] for key, (name, of) in CALENDAR.items()},
        "quantiles": [{"quantile": g, "members": float(np.mean(sizes[g])) if samples else None, **fit(group_returns[g])} for g in range(1, Q + 1)],
        "spread": fit(group_returns[Q] - group_returns[1]),
        "turnover": [{"quantile": g, **mean_of(turnover[g])} for g in range(1, Q + 1)],
        "rankAutocorrelation": mean_of(autocorrelation),
        "path": {"times": [int(panel.times[t]) for t in found["apart"]], "quantiles": [paths[g] for g in range(1, Q + 1)], "spread": spread_path},
        "series": {"times": [int(panel.times[t]) for t in valid], "n": [int(found["complete"][t].sum()) for t in valid], "rank": [clean(rank[t]) for t in valid], "pearson": [clean(found["pearson"][t]) for t in valid]},
    }, rank  # fmt: skip


def compare_clocks(study, panel, ranks_here, other, ranks_there):
    horizons = []
    for h, a, b in zip(study["horizons"], ranks_here, ranks_there):
        there = dict(zip(other.times, b))
        pair = np.array([[x, there.get(time, math.nan)] for time, x in zip(panel.times, a)])
        shared = ~np.isnan(pair).any(axis=1)
        difference = np.where(shared, pair[:, 0] - pair[:, 1], np.nan)
        first = int(np.argmax(shared)) if shared.any() else 0
        apart = [difference[t] for t in range(len(difference)) if shared[t] and (t - first) % h == 0]
        mean = lambda x: float(x[shared].mean()) if shared.any() else None
        horizons.append({"horizon": h, "n": int(shared.sum()), "base": mean(pair[:, 0]), "against": mean(pair[:, 1]), "difference": {"nonOverlapping": estimate(apart), "all": newey_west(difference, 2 * h)}})  # fmt: skip
    return {"data": other.data(), "horizons": horizons}


def signal_study(study, panel, other):
    s, p = Formula(panel).matrix(study["signal"]), positive(Formula(panel).matrix(study["price"]))
    found = [signal_horizon(panel, study, s, p, h) for h in study["horizons"]]
    lost = [result["attrition"] for result, _ in found]
    codes = ["too-few-symbols"] if any(counts["thinTime"] > 0 and counts["used"] == 0 for counts in lost) else []
    if any(counts["used"] > 0 for counts in lost) and all(np.isnan(rank).all() for _, rank in found):
        codes.append("no-variation")
    codes += ["no-delay"] if study["delayBars"] == 0 else []
    undelayed = horizon_of(panel, study, s, p, study["horizons"][0], 0)["rank"]
    known = undelayed[~np.isnan(undelayed)]
    if len(known) and abs(known.mean()) > 0.9:
        codes.append("peek-ic")
    for h in study["horizons"]:
        for d in (0, study["delayBars"]):
            r = returns_of(p, d, h)
            both = panel.member & ~np.isnan(s) & ~np.isnan(r)
            if both.sum() >= 3 and (np.abs(s - r)[both] <= (1e-12 + 1e-9 * np.abs(r))[both]).all() and "peek-equal" not in codes:
                codes.append("peek-equal")
    comparison = None
    if other is not None:
        s2, p2 = Formula(other).matrix(study["signal"]), positive(Formula(other).matrix(study["price"]))
        there = [signal_horizon(other, study, s2, p2, h)[1] for h in study["horizons"]]
        comparison = compare_clocks(study, panel, [rank for _, rank in found], other, there)
    return {"coverage": coverage(panel, s), "horizons": [result for result, _ in found], "comparison": comparison}, codes


def event_study(study, panel):
    w, p = Formula(panel).matrix(study["when"]), positive(Formula(panel).matrix(study["price"]))
    true = ~np.isnan(w) & (w != 0)
    T, S = true.shape
    d = study["delayBars"]
    attrition = dict.fromkeys(["trueCells", "notEdge", "notMember", "cooldown", "beyondEnd", "noEntryPrice", "used"], 0)
    events = []
    for symbol in range(S):
        last = -math.inf
        for t in np.flatnonzero(true[:, symbol]):
            attrition["trueCells"] += 1
            if study["edge"] and t > 0 and true[t - 1, symbol]:
                attrition["notEdge"] += 1
                continue
            if not panel.member[t, symbol]:
                attrition["notMember"] += 1
                continue
            if t <= last + study["cooldownBars"]:
                attrition["cooldown"] += 1
                continue
            last = t
            if t + d >= T:
                attrition["beyondEnd"] += 1
            elif math.isnan(p[t + d, symbol]):
                attrition["noEntryPrice"] += 1
            else:
                attrition["used"] += 1
                events.append((int(t), symbol))
    events.sort()
    path = []
    for k in range(-study["before"], study["after"] + 1):
        x = shifted(p, d + k) / shifted(p, d) - 1
        pairs = []
        for t, symbol in events:
            value = x[t, symbol]
            if math.isnan(value):
                continue
            if study["adjust"] == "market":
                value -= np.nanmean(x[t, panel.member[t]])
            pairs.append((t, value))
        values = [value for _, value in pairs]
        by_time = pd.Series(values, index=[t for t, _ in pairs], dtype=float).groupby(level=0).mean()
        path.append({"offset": k, "n": len(values), "mean": float(np.mean(values)) if values else None, "median": quantile(values, 0.5), "q25": quantile(values, 0.25), "q75": quantile(values, 0.75), "byTime": estimate(by_time.tolist())})  # fmt: skip
    times = [int(panel.times[t]) for t, _ in events]
    names = [panel.symbols[symbol] for _, symbol in events]
    counted = {key: [{name: label, "n": len(xs)} for name, label, xs in by_calendar(times, times, of, name)] for key, (name, of) in CALENDAR.items()}
    return {
        "coverage": coverage(panel, w), "attrition": attrition, "events": {"times": times, "symbols": names}, "path": path, **counted,
        "bySymbol": [{"symbol": name, "n": names.count(name)} for name in panel.symbols if name in names],
    }, ([] if events else ["no-events"]) + (["no-delay"] if d == 0 else [])  # fmt: skip


def value_attrition(panel, x):
    lost = panel.member & np.isnan(x)
    return {"cells": x.size, "notMember": int((~panel.member).sum()), "noValue": int(lost.sum()), "used": int((panel.member & ~np.isnan(x)).sum())}


def lead_lag(study, panel):
    matrix = Formula(panel).matrix(study["value"])
    x = np.where(panel.member, matrix, np.nan)
    T, S = x.shape
    K = study["maxLag"]

    def autocorrelations(values):
        present = values[~np.isnan(values)]
        if not varies(present):
            return [0.0] * (math.isqrt(T) + 1)
        u = np.where(np.isnan(values), 0.0, values - present.mean())
        return [0.0] + [float((u[: T - m] * u[m:]).sum() / (u * u).sum()) for m in range(1, math.isqrt(T) + 1)]

    rho = [autocorrelations(x[:, symbol]) for symbol in range(S)]
    if study["reference"] is None:
        pairs = [(a, b) for a in range(S) for b in range(a + 1, S)]
    else:
        own = panel.symbols.index(study["reference"])
        pairs = [(own, b) for b in range(S) if b != own]
    tests = []
    for a, b in pairs:
        for lag in range(-K, K + 1):
            later = shifted(x[:, [b]], lag)[:, 0] if abs(lag) < T else np.full(T, np.nan)
            both = ~np.isnan(x[:, a]) & ~np.isnan(later)
            n = int(both.sum())
            r = correlation(x[both, a], later[both]) if n >= 10 else None
            effective = t = p = None
            if r is not None:
                M = min(math.isqrt(T), n - 1)
                effective = n / max(1.0, 1 + 2 * sum((1 - m / n) * rho[a][m] * rho[b][m] for m in range(1, M + 1)))
                if effective >= 3:
                    if abs(r) == 1:
                        p = 0.0
                    else:
                        t = r * math.sqrt((effective - 2) / (1 - r * r))
                        p = student_p(t, effective - 2)
            tests.append({"lag": lag, "n": n, "r": r, "effectiveN": effective, "t": t, "p": p})
    q, counted = false_discovery([test["p"] for test in tests])
    tests = [{**test, "q": value} for test, value in zip(tests, q)]
    out = []
    for at, (a, b) in enumerate(pairs):
        lags = tests[at * (2 * K + 1) : (at + 1) * (2 * K + 1)]
        known = sorted((test for test in lags if test["r"] is not None), key=lambda test: (-abs(test["r"]), abs(test["lag"]), test["lag"]))
        best = {key: known[0][key] for key in ("lag", "r", "q")} if known else None
        out.append({"a": panel.symbols[a], "b": panel.symbols[b], "lags": lags, "best": best})
    lags = [lag for pair in out for lag in pair["lags"]]
    constant = any(lag["n"] >= 10 for lag in lags) and all(lag["r"] is None for lag in lags)
    codes = ["too-few-symbols"] if not out else ["no-variation"] if constant else []
    return {"attrition": value_attrition(panel, matrix), "tests": counted, "pairs": out}, codes


def to_funding(stamp):
    seconds = (stamp.hour * 3600 + stamp.minute * 60 + stamp.second) % (8 * 3600)
    return (8 * 3600 - seconds) % (8 * 3600) // 60


SEASON = {
    "hourWeekday": lambda stamp: (("weekday", stamp.isoweekday()), ("hour", stamp.hour)),
    "hour": lambda stamp: (("hour", stamp.hour),),
    "weekday": lambda stamp: (("weekday", stamp.isoweekday()),),
    "dayOfMonth": lambda stamp: (("dayOfMonth", stamp.day),),
    "minutesToFunding": lambda stamp: (("minutesToFunding", to_funding(stamp)),),
}


def seasonality(study, panel):
    x = Formula(panel).matrix(study["value"])
    use = panel.member & ~np.isnan(x)
    times = [t for t in range(len(x)) if use[t].any()]
    values = np.array([x[t, use[t]].mean() for t in times])
    mean = float(values.mean()) if len(values) else None
    if study["center"] and mean is not None:
        values = values - mean
    cells = []
    for _, keys, xs in by_calendar(panel.times[times], values, SEASON[study["by"]], ""):
        e = estimate(xs)
        tested = len(xs) >= 3
        cells.append({**dict(keys), "n": e["n"], "mean": e["mean"], "median": quantile(xs, 0.5), "sd": e["sd"], "t": e["t"] if tested else None, "p": e["p"] if tested else None})  # fmt: skip
    q, counted = false_discovery([cell["p"] for cell in cells])
    return {"attrition": value_attrition(panel, x), "times": len(times), "mean": mean, "tests": counted, "cells": [{**cell, "q": value} for cell, value in zip(cells, q)]}, []  # fmt: skip


def run(study, path, against=None):
    panel = Panel(path, study)
    other = Panel(against, study) if against else None
    kinds = {"signal": lambda: signal_study(study, panel, other), "events": lambda: event_study(study, panel),
             "leadlag": lambda: lead_lag(study, panel), "seasonality": lambda: seasonality(study, panel)}  # fmt: skip
    result, codes = kinds[study["kind"]]()
    source = ["source-unused"] if study["source"] is not None else []
    twice = ["duplicate-rows"] if panel.duplicates or (other is not None and other.duplicates) else []
    warnings = [{"code": code} for code in source + twice + codes]
    return {"version": 1, "kind": study["kind"], "study": study, "data": panel.data(), "warnings": warnings, **result}

