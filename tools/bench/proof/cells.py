# SPDX-License-Identifier: BSD-3-Clause
"""Makes cells of runs: medians with 95 % intervals by bootstrap, ratios of runs of the same pair, and the distribution of all."""

import math
import random
import statistics
from functools import lru_cache

RESAMPLES, SEED = 2000, 20
LOW, HIGH = 0.025, 0.975
PAIRS_LEAST = 3  # undisturbed pairs that a cell needs to count in the distribution
GOAL_SHARE, GOAL_LIMIT, GOAL_WORST, GOAL_MEAN = 0.95, 1.02, 1.05, 0.97


def interval(values):
    """Returns the 95 % interval of the median, by bootstrap: of 100 samples drawn anew from these values, 95 have a median in it."""
    return interval_of(tuple(values))


@lru_cache(maxsize=None)  # results are written after each round, and most cells have not changed
def interval_of(values):
    draw = random.Random(SEED)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return medians[int(LOW * RESAMPLES)], medians[math.ceil(HIGH * RESAMPLES) - 1]


def scene_of(run):
    return run["program"], run["threads"], run["user"], run["beside"], run["lose"]


def grouped(runs):
    """Returns {scene: {rival: [runs]}}, in the order of the first runs."""
    found = {}
    for run in runs:
        found.setdefault(scene_of(run), {}).setdefault(run["rival"], []).append(run)
    return found


def pairs(ours, theirs):
    """Returns the ratios of runs of the same pair, and the number of undisturbed pairs. Disturbed pairs count only if there are no others."""
    base = {run["pair"]: run for run in theirs}
    both = [(run, base[run["pair"]]) for run in ours if run["pair"] in base]
    good = [(run, other) for run, other in both if not run["discarded"] and not other["discarded"]]
    return [run["seconds"] / other["seconds"] for run, other in good or both], len(good)


def cell_of(scene, rival, runs, kernel_runs):
    good = [run for run in runs if not run["discarded"]]
    times = [run["seconds"] for run in good or runs]
    low_s, high_s = interval(times)
    ratios, good_pairs = pairs(runs, kernel_runs)
    cell = dict(zip(("program", "threads", "user", "beside", "lose"), scene)) | {
        "rival": rival, "median_s": round(statistics.median(times), 5), "low_s": round(low_s, 5), "high_s": round(high_s, 5),
        "ratio": None, "ratio_low": None, "ratio_high": None, "runs": len(good) or len(runs), "pairs": good_pairs or len(ratios),
        "discarded": len(runs) - len(good), "reliable": bool(good and good_pairs),
        "reasons": sorted({run["discarded"] for run in runs if run["discarded"]})[:3],
        "cpu_s": round(statistics.median(run["cpu_s"] for run in good or runs), 4)}
    if ratios:
        low, high = interval(ratios)
        cell |= {"ratio": round(statistics.median(ratios), 4), "ratio_low": round(low, 4), "ratio_high": round(high, 4)}
    return cell


def of_runs(runs, efficiencies=(), short=()):
    """Returns a cell for each scene and rival. `efficiencies`: records of how runs spent their time, of which the last of a cell counts. `short`: names of
    the short programs."""
    known = {(scene_of(record), record["rival"]): record["efficiency"] for record in efficiencies}
    return [cell_of(scene, rival, found, rivals.get("kernel", [])) | {"short": scene[0] in short}
            | ({"efficiency": known[scene, rival]} if (scene, rival) in known else {})
            for scene, rivals in grouped(runs).items() for rival, found in rivals.items()]


def distribution(cells, rival="juggle"):
    """Returns the sorted ratios of a rival over the kernel, and whether they reach the goals; None if there are none. Cells with too few undisturbed pairs
    are left out."""
    found = sorted((cell for cell in cells if cell["rival"] == rival and cell["reliable"] and cell["pairs"] >= PAIRS_LEAST),
                   key=lambda cell: cell["ratio"])
    if not found:
        return None
    ratios = [cell["ratio"] for cell in found]
    within_count = sum(ratio <= GOAL_LIMIT for ratio in ratios)
    within = within_count / len(ratios)
    mean = statistics.geometric_mean(ratios)
    return {"rival": rival, "cells": found, "count": len(found), "programs": len({cell["program"] for cell in found}),
            "pairs": statistics.median(cell["pairs"] for cell in found), "within": within_count,
            "share_within": round(within, 3), "worst": ratios[-1], "geometric_mean": round(mean, 4),
            "above_for_certain": [cell for cell in found if cell["ratio_low"] > GOAL_LIMIT],
            "reached": within >= GOAL_SHARE and ratios[-1] <= GOAL_WORST and mean <= GOAL_MEAN}


def classes(cells, rival):
    """Returns [(name, distribution)] of the long programs, the short ones and all, as far as there are any."""
    parts = (("long", [cell for cell in cells if not cell["short"]]), ("short", [cell for cell in cells if cell["short"]]), ("all", cells))
    return [(name, found) for name, part in parts if (found := distribution(part, rival))]
