"""Second implementation of the studies along time, after `studyReading.py` and with its statistics: plain lists and windows.

`run_along(study, panel)` takes a study document with every default filled in and the path of a panel.
"""
from datetime import datetime, timezone

NORMAL_UPPER = 1.959963984540054
HOURS_OF_DAY = 24


def utc(ms):
    return datetime.fromtimestamp(ms / 1000, timezone.utc)


def present(x):
    return ~np.isnan(x)


def mean_or_none(x):
    return float(np.mean(x)) if len(x) else None


class Along:
    """One symbol of a panel with the price and the signal of a study."""

    def __init__(self, panel, study, place, signal):
        price = Formula(panel).matrix(study["price"])[:, place]
        self.panel, self.place, self.symbol = panel, place, panel.symbols[place]
        self.price = np.where(price > 0, price, np.nan)
        self.signal = signal[:, place]
        self.member, self.has_row = panel.member[:, place], panel.has_row[:, place]
        self.delay, self.length = study["delayBars"], len(panel.times)
        with np.errstate(all="ignore"):
            self.bar = pd.Series(self.price).pct_change(fill_method=None).to_numpy()

    def returns(self, h):
        entry, r = self.delay, np.full(self.length, np.nan)
        if entry + h < self.length:
            with np.errstate(all="ignore"):
                r[: self.length - entry - h] = self.price[entry + h :] / self.price[entry : self.length - h] - 1
        return np.where(np.isfinite(r), r, np.nan)

    def attrition(self, h):
        r, known = self.returns(h), present(self.signal)
        warm = np.maximum.accumulate(known)
        entry = np.arange(self.length) + self.delay
        no_entry = [e < self.length and np.isnan(self.price[e]) for e in entry]
        beyond = entry + h >= self.length
        reasons = [
            ("notMember", ~self.member),
            ("noRow", ~known & ~self.has_row),
            ("warmUp", ~known & ~warm),
            ("noSignal", ~known),
            ("noEntryPrice", np.array(no_entry)),
            ("noExitPrice", ~beyond & np.isnan(r)),
            ("beyondEnd", beyond),
            ("used", np.ones(self.length, bool)),
        ]
        left, counts = np.ones(self.length, bool), {"cells": self.length}
        for name, holds in reasons:
            counts[name] = int((left & holds).sum())
            used = left & holds
            left &= ~holds
        return counts, np.flatnonzero(used), r

    def ahead(self, h):
        v, low, high = np.full(self.length, np.nan), np.zeros(self.length), np.zeros(self.length)
        for e in range(self.delay, self.length - h):
            way = self.bar[e + 1 : e + h + 1]
            way = way[present(way)]
            if h >= 2 and len(way) >= max(2, math.ceil(h / 2)):
                v[e - self.delay] = spread_of(way)["sd"]
            changes = self.price[e + 1 : e + h + 1] / self.price[e] - 1
            changes = changes[present(changes)]
            low[e - self.delay] = min(0.0, *changes) if len(changes) else 0.0
            high[e - self.delay] = max(0.0, *changes) if len(changes) else 0.0
        return v, low, high


def every(used, h):
    wanted = set(used.tolist())
    return np.array([t for t in range(used[0], used[-1] + 1, h) if t in wanted], int) if len(used) else used


def figures(cells, samples, r, ahead, h, overlapping=False):
    v, low, high = ahead
    inside = cells if overlapping else samples
    if overlapping:
        grid = np.full(len(r), np.nan)
        grid[inside] = r[inside]
        result = newey_west(grid, 2 * h)
    else:
        result = estimate(r[inside])
    moves = r[inside][r[inside] != 0]
    return {
        "cells": len(cells),
        **result,
        "median": quantile(r[inside], 0.5),
        "hitRate": mean_or_none(moves > 0),
        "volatility": mean_or_none(v[cells][present(v[cells])]),
        "drawdown": {"mean": mean_or_none(low[cells]), "worst": float(low[cells].min()) if len(cells) else None},
        "runUp": {"mean": mean_or_none(high[cells]), "best": float(high[cells].max()) if len(cells) else None},
    }


def tested(rho, n):
    if rho is None or n is None or n < 3:
        return {"t": None, "p": None}
    if abs(rho) == 1:
        return {"t": None, "p": 0.0}
    t = rho * math.sqrt((n - 2) / (1 - rho * rho))
    return {"t": t, "p": student_p(t, n - 2)}


def effective(x, y, used, length):
    n, products = len(used), 0.0

    def autocorrelation(values, lag):
        u = np.zeros(length)
        u[used] = values[used] - values[used].mean()
        return float((u[lag:] * u[: length - lag]).sum() / (u * u).sum())

    for lag in range(1, min(math.isqrt(length), n - 1) + 1):
        products += (1 - lag / n) * autocorrelation(x, lag) * autocorrelation(y, lag)
    return n / max(1, 1 + 2 * products)


def buckets_of(one, study):
    s, q, by = one.signal, study["buckets"], study["bucketBy"]
    found = np.zeros(one.length, int)
    counted = np.where(one.member, s, np.nan)
    for t in np.flatnonzero(one.member & present(s)):
        first = max(0, t - study["window"] + 1) if by == "trailing" else 0
        window = counted[first : one.length if by == "inSample" else t + 1]
        window = window[present(window)]
        if len(window) >= (q if by == "inSample" else study["warmUp"]):
            twice_rank = 2 * int((window < s[t]).sum()) + int((window == s[t]).sum()) + 1
            found[t] = 1 + (twice_rank - 1) * q // (2 * len(window))
    return found


def series_horizon(one, study, bucket, h):
    counts, used, r = one.attrition(h)
    s, samples, ahead = one.signal, every(used, h), one.ahead(h)
    overlapping, q = study["sampling"] == "all", study["buckets"]
    rho, rho_all = spearman(s[samples], r[samples]), spearman(s[used], r[used])
    n = len(samples)
    interval = {"low": None, "high": None}
    if rho is not None and n >= 4 and abs(rho) != 1:
        half = NORMAL_UPPER / math.sqrt(n - 3)
        interval = {"low": math.tanh(math.atanh(rho) - half), "high": math.tanh(math.atanh(rho) + half)}
    n_effective = None if rho_all is None else effective(s, r, used, one.length)
    part = lambda holds: figures(used[holds[used]], samples[holds[samples]], r, ahead, h, overlapping)
    rows = [{"bucket": g, **part(bucket == g)} for g in range(1, q + 1)]
    spread, lowest, highest = None, rows[0], rows[-1]
    if lowest["se"] is not None and highest["se"] is not None:
        mean, se = highest["mean"] - lowest["mean"], math.hypot(highest["se"], lowest["se"])
        t = mean / se if se else None
        spread = {"mean": mean, "se": se, "t": t, "p": None if t is None else math.erfc(abs(t) / math.sqrt(2))}
    filled = [row for row in rows if row["mean"] is not None]

    def by(key, name_of):
        groups = {}
        for t in used:
            groups.setdefault(name_of(utc(one.panel.times[t])), []).append(t)
        return [{key: name, "n": len(at), "spearman": spearman(s[at], r[at])} for name, at in sorted(groups.items())]

    path, growth = {"times": [], "buckets": [[] for _ in range(q)]}, [1.0] * q
    for t in samples:
        if bucket[t]:
            growth[bucket[t] - 1] *= 1 + r[t]
            path["times"].append(int(one.panel.times[t]))
            for g in range(q):
                path["buckets"][g].append(growth[g])
    return {
        "horizon": h,
        "attrition": counts,
        "unplaced": int((bucket[used] == 0).sum()),
        "ic": {
            "nonOverlapping": {"n": n, "spearman": rho, "pearson": correlation(s[samples], r[samples]), **tested(rho, n), **interval},
            "all": {"n": len(used), "spearman": rho_all, "pearson": correlation(s[used], r[used]), "effectiveN": n_effective, **tested(rho_all, n_effective)},
            "detectable": None if n < 4 else math.tanh((NORMAL_UPPER + 0.8416212335729143) / math.sqrt(n - 3)),
        },
        "buckets": rows,
        "thresholds": None if study["thresholds"] is None else [{"threshold": x, **part(s >= x)} for x in study["thresholds"]],
        "all": {"all": True, **part(np.ones(one.length, bool))},
        "spread": spread,
        "monotonic": spearman([row["bucket"] for row in filled], [row["mean"] for row in filled]) if len(filled) >= 3 else None,
        "byMonth": by("month", lambda time: time.strftime("%Y-%m")),
        "byHour": by("hour", lambda time: time.hour),
        "byWeekday": by("weekday", lambda time: time.isoweekday()),
        "path": path,
    }


def along_series(study, panel):
    signal, symbols = Formula(panel).matrix(study["signal"]), []
    for place in range(len(panel.symbols)):
        one = Along(panel, study, place, signal)
        bucket = buckets_of(one, study)
        members, known = int(one.member.sum()), int((one.member & present(one.signal)).sum())
        symbols.append({
            "symbol": one.symbol,
            "coverage": {"members": members, "present": known, "share": known / members if members else None},
            "horizons": [series_horizon(one, study, bucket, h) for h in study["horizons"]],
        })  # fmt: skip
    pooled = None
    if len(symbols) > 1:
        pooled = []
        for at, h in enumerate(study["horizons"]):
            found = [symbol["horizons"][at]["ic"]["nonOverlapping"]["spearman"] for symbol in symbols]
            found = [rho for rho in found if rho is not None]
            pooled.append({"horizon": h, **estimate(found), "positive": mean_or_none(np.array(found) > 0)})
    return {"symbols": symbols, "pooled": pooled}


def screen_cell(one, study, h, first, noise):
    _, used, r = one.attrition(h)
    s, test_length = one.signal, one.length - first
    train = used[used + one.delay + h < first]
    test = used[used >= first]
    samples = every(test, h)
    if min(len(every(train, h)), len(samples)) < 30:
        return "tooFew"
    if not all(varies(x[part]) for part in (train, test, samples) for x in (s, r)):
        return "constant"
    ic = spearman(s[train], r[train])
    direction = -1 if ic < 0 else 1
    n, rho = len(samples), direction * spearman(s[samples], r[samples])
    t = None if abs(rho) == 1 else rho * math.sqrt((n - 2) / (1 - rho * rho))
    p = (0.0 if rho == 1 else 1.0) if t is None else (student_p(t, n - 2) / 2 if t >= 0 else 1 - student_p(t, n - 2) / 2)
    for shift in range(1, study["shifts"] + 1):
        moved = r[first + (samples - first + shift * test_length // (study["shifts"] + 1)) % test_length]
        both = present(moved)
        best = spearman(s[samples][both], moved[both])
        if best is not None:
            noise[shift - 1].append(direction * best * math.sqrt(both.sum() - 1))
    ordered = np.sort(s[train])
    rows = np.arange(first, one.length - one.delay - 1)
    share = (np.searchsorted(ordered, s[rows], "left") + np.searchsorted(ordered, s[rows], "right")) / (2 * len(ordered))
    position = np.where(one.member[rows] & present(s[rows]), direction * (2 * share - 1), 0.0)
    gross = position * np.nan_to_num(one.bar[rows + one.delay + 1])
    change = np.abs(np.diff(position, prepend=0.0))
    per_year, per_day = 365 * DAY / one.panel.step, DAY / one.panel.step
    sharpe = lambda x: float(x.mean() / x.std(ddof=1) * math.sqrt(per_year)) if len(x) > 1 and varies(x) else None
    return {
        "direction": direction,
        "train": {"n": len(train), "ic": ic},
        "test": {"n": n, "ic": rho, "t": t, "p": p, "z": rho * math.sqrt(n - 1)},
        "sharpe": sharpe(gross - change * study["costBps"] / 1e4),
        "grossSharpe": sharpe(gross),
        "turnover": float(change.mean() * per_day),
    }


def along_screen(study, panel):
    length, split = len(panel.times), study["split"]
    if "share" in split:
        place = length * split["share"]
        first = round(place) if abs(place - round(place)) <= 1e-9 else math.floor(place)
    else:
        first = int((panel.times < instant(split["day"])).sum())
    columns = study["columns"] or [name for name in panel.columns if name != study["price"]]
    noise, cells = [[] for _ in range(study["shifts"])], []
    counts = {"cells": 0, "tooFew": 0, "constant": 0, "used": 0}
    for place, symbol in enumerate(panel.symbols):
        for column in columns:
            for template in study["templates"]:
                one = Along(panel, study, place, Formula(panel).matrix(re.sub(r"\bx\b", f"({column})", template)))
                for h in study["horizons"]:
                    cell = screen_cell(one, study, h, first, noise)
                    counts["cells"] += 1
                    counts[cell if isinstance(cell, str) else "used"] += 1
                    if not isinstance(cell, str):
                        cells.append({"symbol": symbol, "column": column, "template": template, "horizon": h, **cell})
    k, noise = len(cells), [max(found) if found else None for found in noise]
    ordered = sorted(range(k), key=lambda at: cells[at]["test"]["p"])
    harmonic, lowest = sum(1 / i for i in range(1, k + 1)), 1.0
    for rank in range(k, 0, -1):
        test = cells[ordered[rank - 1]]["test"]
        lowest = min(lowest, test["p"] * k * harmonic / rank)
        test["q"] = lowest
    for cell in cells:
        reached = sum(best is not None and best >= cell["test"]["z"] - 1e-9 for best in noise)
        cell["test"]["familyP"] = (1 + reached) / (study["shifts"] + 1)
    cells.sort(key=lambda cell: -cell["test"]["z"])
    return {
        "split": {"time": int(panel.times[first]) if first < length else None, "trainTimes": first, "testTimes": length - first},
        "attrition": counts,
        "tests": {"count": k, "significant": sum(c["test"]["q"] <= 0.05 for c in cells), "family": sum(c["test"]["familyP"] <= 0.05 for c in cells)},
        "noise": noise,
        "cells": cells,
        "best": first_of_columns(cells),
    }


def first_of_columns(cells):
    seen = {}
    for cell in cells:
        seen.setdefault(cell["column"], cell)
    return list(seen.values())


def schedule_groups(study, panel, place, formula, days):
    value, member = Formula(panel).matrix(formula)[:, place], panel.member[:, place]
    groups = {}
    for t in np.flatnonzero(member & present(value)):
        time = utc(panel.times[t])
        key = (time.isoweekday(), time.hour) if study["by"] == "hourWeekday" else (time.hour,)
        day = int(panel.times[t] // DAY - panel.times[0] // DAY)
        groups.setdefault(key, ([], []))[0 if day < days else 1].append((day, float(value[t])))
    return groups


def along_schedule(study, panel):
    all_days = int(panel.times[-1] // DAY - panel.times[0] // DAY) + 1
    days, symbols = study["calibrateDays"] or all_days // 2, []
    statistic = np.median if study["statistic"] == "median" else np.mean
    level = lambda part: float(statistic([v for _, v in part])) if len(part) >= study["minBars"] else None
    for place, symbol in enumerate(panel.symbols):
        groups = schedule_groups(study, panel, place, study["value"], days)
        before, after = ({key: level(parts[at]) for key, parts in groups.items()} for at in (0, 1))
        sign = -1 if study["better"] == "high" else 1
        ranked = sorted((key for key in groups if before[key] is not None), key=lambda key: (sign * before[key], key))
        k = min(study["best"], len(ranked) // 2)
        chosen = {"best": ranked[:k], "worst": ranked[len(ranked) - k :]}
        evaluated = [cell for parts in groups.values() for cell in parts[1]]

        def outcome(keys):
            values = [v for key in keys for _, v in groups[key][1]]
            return {"n": len(values), "mean": mean_or_none(values), "median": quantile(values, 0.5)}

        def difference(keys):
            own = pd.DataFrame([cell for key in keys for cell in groups[key][1]], columns=["day", "value"]).groupby("day")["value"].mean()
            whole = pd.DataFrame(evaluated, columns=["day", "value"]).groupby("day")["value"].mean()
            return {"difference": estimate((own - whole.reindex(own.index)).tolist())}

        def agreement(one, other):
            both = [key for key in sorted(one) if one[key] is not None and other.get(key) is not None]
            return {"n": len(both), "spearman": spearman([one[key] for key in both], [other[key] for key in both]) if len(both) >= 3 else None}

        second = None
        if study["second"] is not None:
            second = {key: level(parts[0]) for key, parts in schedule_groups(study, panel, place, study["second"], days).items()}
        rows = []
        for key in sorted(groups):
            names = dict(zip(("weekday", "hour") if len(key) == 2 else ("hour",), key))
            parts = {name: {"n": len(groups[key][at]), "value": values[key]} for at, (name, values) in enumerate((("calibrate", before), ("evaluate", after)))}
            rows.append({**names, **parts, "chosen": next((name for name, keys in chosen.items() if key in keys), None)})
        member, value = panel.member[:, place], Formula(panel).matrix(study["value"])[:, place]
        symbols.append({
            "symbol": symbol,
            "attrition": {"cells": len(member), "notMember": int((~member).sum()), "noValue": int((member & np.isnan(value)).sum()), "used": int((member & present(value)).sum())},
            "days": {"calibrate": days, "evaluate": all_days - days},
            "groups": rows,
            "schedules": {**{name: {**outcome(keys), **difference(keys)} for name, keys in chosen.items()}, "uniform": outcome(groups)},
            "persistence": agreement(before, after),
            "agreement": None if second is None else agreement(before, second),
        })  # fmt: skip
    return {"symbols": symbols}


def along_costs(study, panel):
    read, symbols = lambda field: None if study[field] is None else Formula(panel).matrix(study[field]), []
    spreads, impacts, measures = read("spreadBps"), read("impact"), read("measured")
    for place, symbol in enumerate(panel.symbols):
        member, spread = panel.member[:, place], spreads[:, place]
        impact = np.zeros(len(member)) if impacts is None else impacts[:, place]
        with np.errstate(invalid="ignore"):
            no_spread = member & ~(spread >= 0)
            no_impact = member & ~no_spread & ~(impact >= 0)
        used = np.flatnonzero(member & ~no_spread & ~no_impact)
        cost = lambda notional: spread[used] / 2 + 1e4 * impact[used] * notional
        curve = [{"notional": N, "n": len(used), "mean": mean_or_none(cost(N)), "median": quantile(cost(N), 0.5), "q25": quantile(cost(N), 0.25), "q75": quantile(cost(N), 0.75), "q95": quantile(cost(N), 0.95)} for N in study["notionals"]]  # fmt: skip
        hours = np.array([utc(panel.times[t]).hour for t in used], int)
        at_reference = cost(study["reference"])
        by_hour = [
            {"hour": hour, "n": int((hours == hour).sum()), **{name: quantile(at_reference[hours == hour], q) for name, q in (("q05", 0.05), ("q25", 0.25), ("median", 0.5), ("q75", 0.75), ("q95", 0.95))}}
            for hour in range(HOURS_OF_DAY)
            if (hours == hour).any()
        ]
        calibration = None
        if measures is not None:
            paid = measures[:, place][used]
            known = present(paid)
            modelled, real = at_reference[known], paid[known] + spread[used][known] / 2
            calibration = {
                "n": int(known.sum()),
                "bias": mean_or_none(modelled - real),
                "meanAbsoluteError": mean_or_none(np.abs(modelled - real)),
                "spearman": spearman(modelled, real),
                "impliedImpact": quantile(np.maximum(0, paid[known]) / (1e4 * study["reference"]), 0.5),
                "medianImpact": None if impacts is None else quantile(impact[used][known], 0.5),
            }
        symbols.append({
            "symbol": symbol,
            "attrition": {"cells": len(member), "notMember": int((~member).sum()), "noSpread": int(no_spread.sum()), "noImpact": int(no_impact.sum()), "used": len(used)},
            "curve": curve,
            "byHour": by_hour,
            "calibration": calibration,
        })  # fmt: skip
    return {"symbols": symbols}


def along_spells(study, panel):
    when = Formula(panel).matrix(study["when"])
    signal = None if study["signal"] is None else Formula(panel).matrix(study["signal"])
    fill, least, symbols = study["fill"], study["minBars"], []
    for place in range(len(panel.symbols)):
        one = Along(panel, study, place, when)
        known = one.member & present(one.signal)
        on = known & (one.signal != 0)
        runs = []
        for t in np.flatnonzero(on):
            if runs and t - runs[-1][1] - 1 <= fill:
                runs[-1][1] = int(t)
            else:
                runs.append([int(t), int(t)])
        kept = [(a, b) for a, b in runs if b - a + 1 >= least]
        inside = np.zeros(one.length, bool)
        for a, b in kept:
            inside[a : b + 1] = True
        starts = [next(t for t in range(a, b + 1) if on[t] and t - a + 1 >= least) for a, b in kept]
        ends = [b + fill + 1 for _, b in kept]
        lengths, horizons = [b - a + 1 for a, b in kept], []
        for h in study["horizons"]:
            _, used, r = one.attrition(h)
            ahead = one.ahead(h)
            at = lambda times: np.array([t for t in times if t in set(used.tolist())], int)
            around = {name: figures(at(times), at(times), r, ahead, h) for name, times in (("starts", starts), ("ends", ends))}
            horizons.append({"horizon": h, **around, "all": {"all": True, **figures(used, every(used, h), r, ahead, h)}})
        h = study["sharpestHorizon"]
        _, used, r = one.attrition(h)
        moves = []
        for t in sorted(used, key=lambda t: (-abs(r[t]), t)):
            if len(moves) < study["sharpest"] and all(abs(t - other) >= h for other in moves):
                moves.append(int(t))
        values = None if signal is None else pd.Series(np.where(one.member, signal[:, place], np.nan)).ffill().to_numpy()
        last = lambda t: None if values is None or np.isnan(values[t]) else float(values[t])
        times = panel.times
        symbols.append({
            "symbol": one.symbol,
            "attrition": {"cells": one.length, "notMember": int((~one.member).sum()), "noValue": int((one.member & ~known).sum()), "used": int(known.sum())},
            "spells": [{"from": int(times[a]), "to": int(times[b]), "bars": b - a + 1} for a, b in kept],
            "dropped": len(runs) - len(kept),
            "share": float((inside & known).sum() / known.sum()) if known.any() else None,
            "length": {"n": len(lengths), "mean": mean_or_none(lengths), "median": quantile(lengths, 0.5), "max": max(lengths, default=None)},
            "horizons": horizons,
            "moves": [{"time": int(times[t]), "r": float(r[t]), "inSpell": bool(inside[t]), "signal": last(t)} for t in moves],
        })  # fmt: skip
    return {"symbols": symbols}


def run_along(study, path):
    panel = Panel(path, study)
    kinds = {"series": along_series, "screen": along_screen, "schedule": along_schedule, "costs": along_costs, "spells": along_spells}
    return kinds[study["kind"]](study, panel)
