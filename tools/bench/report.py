# SPDX-License-Identifier: BSD-3-Clause
"""Evaluates the runs: medians, spread, ratios, the verdict on each goal; as a table and as JSON."""

import json
from dataclasses import dataclass
from statistics import geometric_mean, median

from matrix import Cell, duration_text
from runner import disturbed

USEC, MSEC = 10**3, 10**6
# Phase length (ns) -> limit of the time over ideal if threads spin at barriers.
SPIN_LIMITS = {50 * USEC: 2.0, 200 * USEC: 1.6, MSEC: 1.25, 3 * MSEC: 1.12, 10 * MSEC: 1.06}
BESIDE_LIMIT = 2.2


class Series:
    """All runs of one program of a cell under one launcher."""

    def __init__(self, runs):
        self.runs = runs
        # Disturbed runs count only if there are no others.
        self.quiet = [run for run in runs if not disturbed(run)] or runs
        self.disturbed_count = sum(map(disturbed, runs))
        self.elapsed_ns = median(run["elapsed_ns"] for run in self.quiet)
        self.overs_ideal = [run["elapsed_ns"] / run["ideal_ns"] for run in self.quiet]
        self.over_ideal = median(self.overs_ideal)

    @property
    def unreliable(self):
        return self.disturbed_count == len(self.runs)

    @property
    def spread(self):
        """Half the range about the median, as a share."""
        return (max(self.overs_ideal) - min(self.overs_ideal)) / 2 / self.over_ideal

    @property
    def variation(self):
        """The maximum percentage variation of Table 8: slowest over fastest run."""
        times = [run["elapsed_ns"] for run in self.quiet]
        return max(times) / min(times) - 1

    @property
    def overhead_share(self):
        """CPU time of the launcher, as a share of one processor."""
        return median(run["overhead_s"] / run["wall_s"] for run in self.quiet)


@dataclass
class Row:
    """One program of a cell, under each launcher."""
    cell: Cell
    program: int
    series: dict

    def __str__(self):
        return f"{self.cell}{' ' + 'AB'[self.program] if self.cell.programs_count > 1 else ''}"

    def over_ideal(self, name):
        return self.series[name].over_ideal if name in self.series else None

    def ratio(self, name):
        """Returns the time over that of the kernel, or None. It is the median over runs of the same round if there are
        any, because the machine's speed drifts from round to round. Both times are divided by their ideal times,
        because the kernel's runs may be shorter."""
        if name not in self.series or "kernel" not in self.series:
            return None
        ours, theirs = self.series[name], self.series["kernel"]
        of_round = {run["round"]: run["elapsed_ns"] / run["ideal_ns"] for run in theirs.quiet}
        return median([run["elapsed_ns"] / run["ideal_ns"] / of_round[run["round"]]
                       for run in ours.quiet if run["round"] in of_round]
                      or [ours.over_ideal / theirs.over_ideal])


def rows_of(results):
    """`results`: {(cell, launcher): [the list of runs of each round]}"""
    cells = list(dict.fromkeys(cell for cell, _ in results))
    rows = [Row(cell, program, {name: Series([runs[program] for runs in rounds])
                                for (other, name), rounds in results.items() if other == cell})
            for cell in cells for program in range(cell.programs_count)]
    own = {(row.cell.n, row.cell.phase_ns): row.series["kernel"] for row in rows
           if row.cell.scene == "matrix" and row.cell.barrier == "omp" and "kernel" in row.series}
    for row in rows:
        series = own.get((row.cell.n, row.cell.phase_ns))
        if series and row.cell.scene == "matrix":
            row.series["own"] = series
    return rows


# ---- goals, of juggle ----

@dataclass
class Goal:
    text: str
    limit: float
    values: list       # (value, row) of each cell that counts
    mean: bool = False  # the geometric mean decides, not the worst cell

    @property
    def reached(self):
        if not self.values:
            return None
        return self.geometric_mean <= self.limit if self.mean else self.worst[0] <= self.limit

    @property
    def geometric_mean(self):
        return geometric_mean(max(value, 1e-9) for value, _ in self.values)

    @property
    def worst(self):
        return max(self.values, key=lambda pair: pair[0])


def collect(rows, measure):
    return [(value, row) for row in rows if (value := measure(row)) is not None]


def to_kernel(row):
    return row.ratio("juggle")


def to_ideal(row):
    return row.over_ideal("juggle")


def variation_ratio(row):
    if to_kernel(row) is None or len(row.series["juggle"].quiet) < 3:
        return None
    return row.series["juggle"].variation / max(row.series["kernel"].variation, 1e-9)


def own_cost(row):
    if to_kernel(row) is None:
        return None
    return row.series["juggle"].overhead_share - row.series["kernel"].overhead_share


def goals_of(rows):
    def scene(name):
        return [row for row in rows if row.cell.scene == name]

    def middle(barriers):
        return [row for row in scene("matrix") if row.cell.barrier in barriers
                and 10 * MSEC <= row.cell.phase_ns <= 300 * MSEC]

    def ideal(low_ms, high_ms):
        return collect([row for row in scene("matrix")
                        if low_ms * MSEC <= row.cell.phase_ns <= high_ms * MSEC], to_ideal)

    def spinning(phase_ns):
        return collect([row for row in scene("spin") if row.cell.phase_ns == phase_ns], to_ideal)

    spin_goals = [Goal(f"of the ideal time, spinning: {duration_text(phase_ns)}", limit,
                       spinning(phase_ns)) for phase_ns, limit in SPIN_LIMITS.items()]
    return [
        Goal("never slower than the kernel", 1.02, collect(scene("matrix"), to_kernel)),
        Goal("of the kernel's time: yield, busy, omp, 10 to 300 ms", 0.82,
             collect(middle(("yield", "busy", "omp")), to_kernel), mean=True),
        Goal("of the kernel's time: block, 10 to 300 ms", 0.95,
             collect(middle(("block",)), to_kernel), mean=True),
        Goal("of the ideal time: 100 ms and more", 1.04, ideal(100, 10**6)),
        Goal("of the ideal time: 30 ms", 1.06, ideal(30, 30)),
        Goal("of the ideal time: 10 ms", 1.10, ideal(10, 10)),
        Goal("of the kernel's time beside two hogs", 0.85, collect(scene("hogs"), to_kernel)),
        Goal("of the kernel's variation beside two hogs", 0.5, collect(scene("hogs"), variation_ratio)),
        Goal("two programs at once: neither slower than under the kernel", 1.0,
             collect(scene("pair"), to_kernel)),
        Goal("MPI ranks: never slower than the kernel", 1.02, collect(scene("mpi"), to_kernel)),
        Goal("own cost, of one processor", 0.01, collect(scene("matrix"), own_cost)),
        *spin_goals,
        Goal("of the undisturbed time beside a busy loop", BESIDE_LIMIT, collect(scene("beside"), to_ideal)),
        Goal("of the kernel's time, spinning or beside a busy loop", 1.0,
             collect(scene("spin") + scene("beside"), to_kernel)),
    ]


# ---- table ----

def columns_of(rows, launchers):
    return [name for name in (*launchers, "own") if any(name in row.series for row in rows)]


def cell_text(row, name):
    if name not in row.series:
        return ""
    series = row.series[name]
    return f"{series.over_ideal:.3f} ±{series.spread:.0%}" + ("*" if series.unreliable else "")


def notes_of(row):
    runs = [run for series in row.series.values() for run in series.runs if disturbed(run)]
    if not runs:
        return ""
    worst = max(run["foreign_share"] for run in runs)
    stolen = max(run["steal_share"] for run in runs)
    return f"{len(runs)} runs disturbed: other load up to {worst:.0%}, stolen {stolen:.0%}"


def markdown(header, body):
    widths = [max(len(line[i]) for line in (header, *body)) for i in range(len(header))]
    lines = [header, ["-" * width for width in widths], *body]
    return "\n".join("| " + " | ".join(text.ljust(width) for text, width in zip(line, widths))
                     + " |" for line in lines)


def number(value):
    return "" if value is None else f"{value:.3f}"


def results_table(rows, launchers):
    columns = columns_of(rows, launchers)
    hogs = any(row.cell.scene == "hogs" for row in rows)
    compared = [name for name in launchers if name not in ("static", "kernel")]
    header = ["cell", *columns, *(f"{name}/kernel" for name in compared)] + \
        ["variation"] * hogs + ["disturbed"]
    body = []
    for row in rows:
        line = [str(row), *(cell_text(row, name) for name in columns),
                *(number(row.ratio(name)) for name in compared)]
        if hogs:
            line.append(", ".join(f"{name} {series.variation:.0%}" for name, series
                                  in row.series.items()) if row.cell.scene == "hogs" else "")
        body.append(line + [notes_of(row)])
    return markdown(header, body)


def goals_table(goals):
    header = ["goal", "at most", "geometric mean", "worst", "in the cell", "reached"]
    body = []
    for goal in goals:
        if not goal.values:
            body.append([goal.text, f"{goal.limit}", "", "", "", "not measured"])
            continue
        value, row = goal.worst
        body.append([goal.text, f"{goal.limit}", number(goal.geometric_mean) if goal.limit > 0.1
                     else "", number(value), str(row), "yes" if goal.reached else "NO"])
    return markdown(header, body)


def text_of(about, rows, goals, launchers, failures):
    parts = [f"{about['processors']} processors, {about['model']}, Linux {about['kernel']}, "
             f"profile {about['profile']}, {about['date']}.\n"
             "Each time is over e*n/m measured in the same run: the median of the rounds, "
             "± half the range, without the disturbed ones. * all were disturbed. "
             "own: the kernel, waiting as the OpenMP runtime does by default.",
             results_table(rows, launchers)]
    if "juggle" in launchers:
        parts.append(goals_table(goals))
    if failures:
        parts.append("\n".join(failures))
    return "\n\n".join(parts) + "\n"


# ---- JSON ----

def write_json(path, about, rows, goals, failures):
    document = {
        "about": about,
        "cells": [{
            "scene": row.cell.scene, "threads_count": row.cell.n, "barrier": row.cell.barrier,
            "phase_length_ns": row.cell.phase_ns, "program": row.program,
            "launchers": {name: {
                "elapsed_ns": series.elapsed_ns, "over_ideal": series.over_ideal,
                "over_kernel": row.ratio(name), "spread": series.spread,
                "variation": series.variation, "disturbed_count": series.disturbed_count,
                "overhead_share": series.overhead_share, "runs": series.runs,
            } for name, series in row.series.items() if name != "own"},
        } for row in rows],
        "goals": [{"goal": goal.text, "limit": goal.limit, "reached": goal.reached,
                   "geometric_mean": goal.geometric_mean if goal.values else None,
                   "worst": goal.worst[0] if goal.values else None,
                   "worst_cell": str(goal.worst[1]) if goal.values else None} for goal in goals],
        "failures": failures,
    }
    with open(path, "w", encoding="utf-8") as out:
        json.dump(document, out, indent=1)
        out.write("\n")
