# SPDX-License-Identifier: BSD-3-Clause
"""The runs so far: a line of JSON for each, in a file beside the result, so that an interrupted series can be continued."""

import json
import os
import stat

from matrix import UsageError
from proof import machine


WORDS, NUMBER = (str,), (int, float)
# The fields of each record of a program, and further ones of each run. A file that evidence has not written is recognized by them.
OF_RECORDS = {"program": WORDS, "threads": (int,), "user": (bool,), "beside": WORDS, "lose": WORDS, "rival": WORDS}
OF_RUNS = {"seconds": NUMBER, "cpu_s": NUMBER, "round": (int,), "pair": (int,), "ran": (int,), "output": WORDS}


def is_record(record):
    wanted = OF_RECORDS | (OF_RUNS if "seconds" in record else {})
    return all(isinstance(record.get(name), types) for name, types in wanted.items()) and ("seconds" not in record or "discarded" in record)


def parsed(line):
    """Returns the value of a line of JSON, or None if it is not JSON."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def is_special(path):
    """True for a device or a pipe, which is written directly, and has no file beside it."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


class State:
    def __init__(self, path, stamps, fresh=False):
        """`stamps`: {program: stamp} of the catalog. Runs of a program with another stamp are left out."""
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
        """Parses the lines. A line that is not JSON, because a crash has cut it off, is left out, except the first one: without a valid first line,
        evidence has not written the file."""
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
        """True if the record of the program has not changed. It counts as unchanged if its catalog is not read this time."""
        return self.stamps.get(record["program"], record.get("stamp")) == record.get("stamp")

    def kept(self, record):
        return self.runs if "seconds" in record else self.failures if "failure" in record else self.efficiencies

    def seeds(self):
        """Returns which seed was used for which of the kept runs; the seed is None for runs of a file that has none."""
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
    """Writes the whole file or nothing: the old one stays until the new one is complete."""
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
