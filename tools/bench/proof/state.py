# SPDX-License-Identifier: BSD-3-Clause
"""What has been measured so far: a line of JSON for each run beside the result, so that an interrupted series goes on."""

import json
import os
import stat

from matrix import UsageError
from proof import machine


WORDS, NUMBER = (str,), (int, float)
# What each record of a program has, and what each run has more: a file that is none of ours is seen by it.
OF_RECORDS = {"program": WORDS, "threads": (int,), "user": (bool,), "beside": WORDS, "lose": WORDS, "rival": WORDS}
OF_RUNS = {"seconds": NUMBER, "cpu_s": NUMBER, "round": (int,), "pair": (int,), "ran": (int,), "output": WORDS}


def is_record(record):
    wanted = OF_RECORDS | (OF_RUNS if "seconds" in record else {})
    return all(isinstance(record.get(name), types) for name, types in wanted.items()) and ("seconds" not in record or "discarded" in record)


def parsed(line):
    """None of a line that is no JSON."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def is_special(path):
    """A device or a pipe: written to as it is, and nothing is kept beside it."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


class State:
    def __init__(self, path, stamps, fresh=False):
        """`stamps`: {program: stamp} of the catalog; what was measured of a program by another record of it is left out."""
        self.stamps, self.outdated = stamps, set()
        self.path, self.special = path, is_special(path)
        self.runs, self.failures, self.efficiencies, self.machine = [], [], [], machine.facts()
        self.lines = path + ".state"
        try:
            if self.special:
                with open(path, "w", encoding="ascii") as file:
                    file.write("\n")
                self.file = open(os.devnull, "w", encoding="ascii")
                return
            if fresh and os.path.exists(self.lines):
                os.remove(self.lines)
            self.file = open(self.lines, "a", encoding="utf-8")
            self.read()
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from None

    def records(self, text):
        """A line that was cut off by a crash is left out, but for the first: without that it is no file of ours."""
        found = []
        for number, line in enumerate(text.splitlines(), 1):
            record = parsed(line)
            of_ours = isinstance(record, dict) and ("program" not in record or is_record(record))
            if number == 1 and not (of_ours and isinstance(record.get("machine"), dict)) or record is not None and not of_ours:
                raise UsageError(f"{self.lines}:{number} is nothing that evidence has written: name another file, or say --fresh")
            if record is not None:
                found.append(record)
        return found

    def read(self):
        with open(self.lines, encoding="utf-8", errors="replace") as file:
            text = file.read()
        records = self.records(text)
        if text and not text.endswith("\n"):
            self.file.write("\n")
        if not records:
            self.keep({"machine": self.machine})
            return
        first = records[0]["machine"]
        if machine.identity(self.machine) != machine.identity(first):
            raise UsageError(f"{self.lines} is of another machine or kernel: name another file, or say --fresh")
        self.machine = first
        known = [record for record in records[1:] if "program" in record]
        self.outdated = {record["program"] for record in known if not self.is_current(record)}
        for record in filter(self.is_current, known):
            self.kept(record).append(record)

    def is_current(self, record):
        """Programs of a catalog of the user's that is not read this time keep what they have."""
        return self.stamps.get(record["program"], record.get("stamp")) == record.get("stamp")

    def kept(self, record):
        return self.runs if "seconds" in record else self.failures if "failure" in record else self.efficiencies

    def seeds(self):
        """Which seed ordered which runs, those of it that are kept: None for runs of a file that told none."""
        found = {}
        for run in self.runs:
            found.setdefault(run.get("seed"), []).append(run["pair"])
        return [{"seed": seed, "runs": len(pairs), "first_pair": min(pairs), "last_pair": max(pairs)} for seed, pairs in found.items()]

    def keep(self, record):
        try:
            self.file.write(json.dumps(record) + "\n")
            self.file.flush()
        except OSError as error:
            raise UsageError(f"{self.lines}: {error.strerror}; what was measured before is kept") from None

    def add(self, record):
        self.keep(record)
        self.kept(record).append(record)


def write_whole(path, text):
    """All of it or nothing: what is there stays until the new one is whole."""
    try:
        if is_special(path):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".new", path)
    except OSError as error:
        if os.path.exists(path + ".new"):
            os.remove(path + ".new")
        raise UsageError(f"{path}: {error.strerror}") from None
