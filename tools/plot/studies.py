# SPDX-License-Identifier: BSD-3-Clause
"""Studies: simulations with some options varied, and the results of each as rows of a table."""

import itertools
import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field

SIMULATOR = os.path.join(os.environ.get("BUILD", "build"), "bin", "steal-sim")
# The code that is simulated: results from before its latest change are not reused.
SIMULATED = ("libjuggle/steal", "tools/steal-sim", "tools/uts", "tools/iterate", "tools/tce")


def each(option, values, form="--{option} {value}"):
    """Returns an axis: its column, and the arguments for each of its values. A value 'a/b' has two parts, for a form with {0} and {1}."""
    return option, {value: form.format(*value.split("/"), option=option, value=value) for value in values.split()}


def searches(run):
    """Yields one row for a whole search."""
    yield {key: run[key] for key in ("virtual_s", "efficiency", "speedup", "nodes", "steals_attempted",
                                     "steals_successful", "sessions", "session_s", "search_s", "occupancy_most")}


def runs(run):
    """Yields one row for all iterations."""
    yield {key: run[key] for key in ("virtual_s", "efficiency")} | {
        "balance_s": sum(iteration["balance_s"] for iteration in run["iterations"])}


def iterations(run):
    """Yields one row for each iteration."""
    for number, iteration in enumerate(run["iterations"], 1):
        yield {"iteration": number, **iteration}


def occupancies(run):
    """Yields one row for each part of the time, with the share of ranks with tasks."""
    parts = run["occupancy"]
    for part, share in enumerate(parts):
        yield {"time": round(part / len(parts), 6), "occupancy": share, "virtual_s": run["virtual_s"]}


@dataclass(frozen=True)
class Study:
    """`axes` has the axes of each set; all combinations of their values are simulated."""
    name: str
    base: str
    rows: Callable
    axes: dict  # by set to which the study belongs
    seeds: dict = field(default_factory=dict)  # number of seeds by set; 1 if it is not given
    prepare: Callable = None  # writes the files that arguments name, to a directory

    def commands(self, size, directory):
        """Yields ({axis: value}, arguments) for each combination of values."""
        axes = self.axes[size]
        for values in itertools.product(*(options for _, options in axes)):
            labels = {name: value for (name, _), value in zip(axes, values)}
            varied = " ".join(options[value] for (_, options), value in zip(axes, values))
            yield labels, f"{self.base} {varied} --seeds {self.seeds.get(size, 1)}".format(directory=directory)


def told_by_git(*arguments):
    """Returns what git says of the simulated code: nothing if there is no git."""
    try:
        return subprocess.run(["git", *arguments, "--", *SIMULATED], capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""


def version():
    """Returns the latest commit of the simulated code, and whether files differ from it."""
    commit, changed = told_by_git("log", "-1", "--format=%h %cs"), told_by_git("status", "--porcelain")
    return (commit or "unknown") + (", changed" if changed else "")


def simulate(arguments, jobs):
    command = [SIMULATOR, *arguments.split(), "--json", *(["--jobs", jobs] if jobs else [])]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    told = json.loads(result.stdout)
    return told.get("runs", [told])


def head(study, size, directory):
    return [f"# {line}" for line in (*(f"steal-sim {arguments}" for _, arguments in study.commands(size, directory)),
                                     f"code: {version()}; set: {size}")]


def is_current(path, lines):
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in itertools.islice(file, len(lines))] == lines


def write_table(path, lines, rows):
    columns = list(rows[0])
    with open(path + ".part", "w", encoding="utf-8") as file:
        for line in (*lines, "\t".join(columns)):
            print(line, file=file)
        for row in rows:
            print("\t".join(str(row[column]) for column in columns), file=file)
    os.replace(path + ".part", path)


def read_table(path):
    """Returns the rows as dictionaries, with numbers as floats."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [{column: number(value) for column, value in zip(lines[0], line)} for line in lines[1:]]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def play(study, size, directory, jobs=None):
    """Writes DIRECTORY/NAME.tsv, unless it is there from the same commands and the same code."""
    path = os.path.join(directory, study.name + ".tsv")
    lines = head(study, size, directory)
    if is_current(path, lines):
        return path
    rows = []
    for labels, arguments in study.commands(size, directory):
        if study.prepare:
            study.prepare(directory, arguments)
        rows += [{**labels, "seed": run["seed"], "ranks": run["ranks"], **row}
                 for run in simulate(arguments, jobs) for row in study.rows(run)]
    write_table(path, lines, rows)
    return path
