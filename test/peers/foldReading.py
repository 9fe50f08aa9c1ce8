"""Second reading of the folds of a walk-forward: which days train which fold, and which combination wins it."""
import json
import math

import numpy as np


def sharpe_of(net):
    if len(net) < 2 or net.max() - net.min() <= 1e-12 * np.abs(net).max():
        return None
    return float(net.mean() / net.std(ddof=1))


def folds_of(case):
    first, days, rules = case["firstDay"], case["days"], case["rules"]
    past = rules["train"] == "past"
    parts = rules["folds"] + past
    purge = math.ceil(rules["purgeBars"] * case["intervalMs"] / 86_400_000)
    found = []
    for j in range(int(past), parts):
        a, b = first + j * days // parts, first + (j + 1) * days // parts
        if a == b:
            continue
        row = {"firstDay": a, "endDay": b, "trainDays": 0, "chosen": None, "trainSharpe": None}
        for combination in case["grid"]:
            net = np.array(combination["net"], float)
            day = combination["firstDay"] + np.arange(len(net))
            trains = day < a - purge
            if not past:
                trains = trains | (day >= b + purge + rules["embargoDays"])
            sharpe = sharpe_of(net[trains])
            if sharpe is not None and (row["trainSharpe"] is None or sharpe > row["trainSharpe"]):
                row.update(trainDays=int(trains.sum()), chosen=combination["parameters"], trainSharpe=sharpe)
        found.append(row)
    return found
