# SPDX-License-Identifier: BSD-3-Clause
"""How a run spent its time, in the field's terms: parallel efficiency = load balance x communication, from juggle's own report of
a run that is not timed. Time in which a thread spins or polls counts as computed, because juggle sees processor time only."""

import json
import os
from statistics import fmean

REPORT = "report.json"


def observed(launch, folder):
    """Changes a launch of juggle so that it writes a report, and returns it."""
    words = list(launch.words)
    words[words.index("-q"):words.index("-q") + 1] = ["--report", "json", "--output", os.path.join(folder, REPORT)]
    launch.words = words
    return launch


def of_report(report):
    """Returns the figures of a report, or None if juggle balanced no thread."""
    threads = [thread for thread in report["threads"] if thread["run_ns"] > 0]
    whole_ns = report["elapsed_ns"]
    if not threads or whole_ns <= 0:
        return None
    run_ns, most_ns = fmean(thread["run_ns"] for thread in threads), max(thread["run_ns"] for thread in threads)
    lived_ns = sum(thread["run_ns"] + thread["wait_ns"] + thread["blocked_ns"] for thread in threads)
    share = lambda key: round(sum(thread[key] for thread in threads) / lived_ns, 4)  # noqa: E731
    return {
        "threads": len(threads), "load_balance": round(run_ns / most_ns, 4), "communication": round(most_ns / whole_ns, 4),
        "parallel": round(run_ns / whole_ns, 4), "computed": share("run_ns"), "queued": share("wait_ns"), "blocked": share("blocked_ns"),
        "migrations": report["migrations_count"], "turns": report["rounds_count"],
        "taken_ns": {name.removesuffix("_ns"): time_ns for name, time_ns in report["stolen"].items()},
    }


def read(folder):
    try:
        with open(os.path.join(folder, REPORT), encoding="utf-8") as file:
            return of_report(json.load(file))
    except (OSError, ValueError, KeyError):
        return None
