# SPDX-License-Identifier: BSD-3-Clause
"""The programs that are measured: records of catalog/, and what each needs to run."""

import glob
import hashlib
import os
import re
import shlex
import shutil
from dataclasses import dataclass, field

from matrix import UsageError

# Debian's programs before others of the same name.
PATH = "/usr/bin:/bin:/usr/sbin:/sbin:" + os.environ.get("PATH", "")
FIELDS = {"Program", "Kind", "Package", "Threads", "Input", "Prepare", "Needs", "Before", "Variables", "Command", "Check", "Rate", "Most", "Length"}
# How a program is told its number of threads: by an option, by OMP_NUM_THREADS, as ranks of MPI, or not at all.
THREADS = ("option", "variable", "ranks", "none")
LAUNCHERS = {"openmpi": "mpirun.openmpi --oversubscribe --bind-to none -n {n}",
             "mpich": "mpirun.mpich -n {n}"}


@dataclass
class Program:
    name: str
    kind: str
    threads: str
    command: str
    packages: list
    inputs: dict = field(default_factory=dict)  # name in the run's folder -> kind:argument:...
    prepare: str = ""    # shell, once
    before: str = ""     # shell, before each run, not timed
    variables: dict = field(default_factory=dict)
    check: str = "cat out"  # shell: what it prints must be the same for all rivals
    rate: str = ""       # shell, for a program that runs for a fixed time: prints its operations per second
    needs: list = field(default_factory=list)
    no_more: bool = False  # it refuses more threads than processors
    short: bool = False    # intentionally, to show the cost of a start

    @property
    def stamp(self):
        """A hash of the record, so that runs of another version of it are not compared."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]

    @property
    def mpi(self):
        return next((name for name in LAUNCHERS if f"{{{name}}}" in self.command), None)

    def filled(self, template, values):
        for name, launcher in LAUNCHERS.items():
            template = template.replace(f"{{{name}}}", launcher)
        for key, value in values.items():
            template = template.replace(f"{{{key}}}", str(value))
        return template

    def words(self, values):
        return shlex.split(self.filled(self.command, values))

    def missing(self, values):
        """Returns a file that the program needs and that is not installed, or None."""
        for name in [self.filled(need, values) for need in self.needs] or [self.words(values)[0]]:
            if not (shutil.which(name, path=PATH) or "/" in name and os.path.exists(name)):
                return os.path.basename(name)
        return None


def program_of(record, where):
    unknown = set(record) - FIELDS
    if unknown or not {"Program", "Kind", "Command"} <= set(record):
        raise UsageError(f"{where}: a record has unknown fields {sorted(unknown)} or lacks Program, Kind or Command")
    threads = record.get("Threads", "option")
    if threads not in THREADS:
        raise UsageError(f"{where}: {record['Program']}: Threads is {threads}, not one of {', '.join(THREADS)}")
    if record.get("Length", "short") != "short":
        raise UsageError(f"{where}: {record['Program']}: Length is {record['Length']}, not short")
    return Program(
        name=record["Program"], kind=record["Kind"], threads=threads, command=record["Command"],
        packages=record.get("Package", "").split(),
        inputs=dict(part.split("=", 1) for part in record.get("Input", "").split()),
        prepare=record.get("Prepare", ""), before=record.get("Before", ""),
        variables=dict(part.split("=", 1) for part in shlex.split(record.get("Variables", ""))),
        check=record.get("Check", "cat out"), rate=record.get("Rate", ""), needs=record.get("Needs", "").split(), no_more=record.get("Most") == "m",
        short="Length" in record)


def read_all(more=()):
    """Returns the programs of the catalog, and of the user's files `more`."""
    programs = {}
    for path in (*sorted(glob.glob(os.path.join(os.path.dirname(__file__), "catalog", "*.txt"))), *more):
        programs |= read(path)
    return programs


def read(path):
    """Records are divided by blank lines; a line that begins with a blank continues the previous one; # begins a comment."""
    programs, record, key = {}, {}, None
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")] + [""]
    for line in lines:
        if match := re.match(r"([A-Z][a-z]+): *(.*)", line):
            key, record[match[1]] = match[1], match[2]
        elif line.strip() and key:
            record[key] += "\n" + line.strip()
        elif record:
            program = program_of(record, path)
            if program.name in programs:
                raise UsageError(f"{path}: {program.name} is there twice")
            programs[program.name] = program
            record, key = {}, None
    return programs
