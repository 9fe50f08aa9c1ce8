"""Second reading of the studies of clocks: `run_clocks(symbols)` takes both clocks' values by time, null for missing ones."""
import json
import math

import numpy as np
import pandas as pd


def number(x):
    return float(x) if x is not None and math.isfinite(x) else None


def shift_of(column):
    frame = pd.DataFrame({clock: pd.Series(dict(column[clock]), dtype=float) for clock in ("exchange", "true")})
    both = frame.dropna()
    exchange, arrival = both["exchange"].to_numpy(), both["true"].to_numpy()
    varied = lambda x: len(x) > 1 and x.max() - x.min() > 1e-12 * np.abs(x).max()
    scored = len(both) >= 100 and varied(exchange)
    return {
        "column": column["column"],
        "dataset": column["dataset"],
        "n": len(both),
        "onlyExchange": int(frame["exchange"].notna().sum()) - len(both),
        "onlyTrue": int(frame["true"].notna().sum()) - len(both),
        "shift": float(np.abs(arrival - exchange).mean() / exchange.std(ddof=1)) if scored else None,
        "pearson": number(np.corrcoef(exchange, arrival)[0, 1]) if scored and varied(arrival) else None,
        "meanDifference": float((arrival - exchange).mean()) if len(both) else None,
    }


def by_shift(rows):
    return sorted(rows, key=lambda row: -1 if row["shift"] is None else row["shift"], reverse=True)


def run_clocks(symbols):
    results = []
    for symbol in symbols:
        columns = [shift_of(column) for column in symbol["columns"]]
        datasets = []
        for dataset in dict.fromkeys(column["dataset"] for column in columns):
            shifts = [row["shift"] for row in columns if row["dataset"] == dataset and row["shift"] is not None]
            datasets.append({"dataset": dataset, "columns": len(shifts), "shift": float(np.mean(shifts)) if shifts else None})
        results.append({"symbol": symbol["symbol"], "columns": by_shift(columns), "datasets": by_shift(datasets)})
    return {"symbols": results}
