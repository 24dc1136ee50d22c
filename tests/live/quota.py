# SPDX-License-Identifier: BSD-3-Clause
"""Control groups with CPU quotas, of version 1 or 2, made for a test."""

import contextlib
import os
import signal
import unittest

from live import eventually

FIRST, SECOND = "/sys/fs/cgroup/cpu", "/sys/fs/cgroup"


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


def quota_write(group, percent):
    """Sets the quota in percent of one processor; None: no quota."""
    if percent is None:
        return
    if os.path.exists(f"{group}/cpu.max"):
        write(f"{group}/cpu.max", f"{percent * 1000} 100000")
    else:
        write(f"{group}/cpu.cfs_period_us", 100000)
        write(f"{group}/cpu.cfs_quota_us", percent * 1000)


def is_removed(group):
    """Removes the group. A test that failed may have left processes in it, and a killed process is in it for a moment."""
    with open(f"{group}/cgroup.procs", encoding="ascii") as members:
        pids = [int(pid) for pid in members]
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    try:
        os.rmdir(group)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def quotas(*percents):
    """Makes groups, each within the one before, with these quotas; yields the path of the innermost."""
    group, made = FIRST if os.path.isdir(FIRST) else SECOND, []
    try:
        try:
            for i, percent in enumerate(percents):
                group += f"/juggle-fit-{os.getpid()}-{i}"
                os.mkdir(group)
                made.append(group)
                quota_write(group, percent)
        except OSError as error:
            raise unittest.SkipTest(f"no quota can be set here: {error}") from error
        yield group
    finally:
        for path in reversed(made):
            eventually(lambda path=path: is_removed(path), "the group is removed")
