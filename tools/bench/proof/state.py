# SPDX-License-Identifier: BSD-3-Clause
"""What has been measured so far: a line of JSON for each run beside the result, so that an interrupted series goes on."""

import json
import os
import stat

from matrix import UsageError
from proof import machine


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

    def read(self):
        """A line that was cut off by a crash is left out."""
        with open(self.lines, encoding="utf-8") as file:
            text = file.read()
        records = []
        for line in text.splitlines():
            try:
                records.append(json.loads(line))
            except ValueError:
                continue
        if text and not text.endswith("\n"):
            self.file.write("\n")
        if not records:
            self.keep({"machine": self.machine})
            return
        first = records[0].get("machine", {})
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
