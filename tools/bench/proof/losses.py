# SPDX-License-Identifier: BSD-3-Clause
"""Takes one processor from a program while it runs: by a quota, by its cpuset, by a hog on it, or by switching it off."""

import errno
import os
import signal
import sys
import threading
import time

from matrix import UsageError

LOSSES = ("quota", "cpuset", "hog", "offline")
AFTER_S = 0.2  # the program has begun by then
PERIOD_US = 100_000
HOG_NICE = -20
EMPTY_S = 2  # for the processes that are left in a control group to leave it
LOOK_S = 0.01
GROUP_V1, GROUP_V2, CPUSET_V1 = "/sys/fs/cgroup/cpu", "/sys/fs/cgroup", "/sys/fs/cgroup/cpuset"


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


def empty(folder):
    """Moves the processes of a control group to the group above."""
    with open(f"{folder}/cgroup.procs", encoding="ascii") as file:
        pids = file.read().split()
    for pid in pids:
        try:
            write(f"{os.path.dirname(folder)}/cgroup.procs", pid)
        except OSError:
            pass  # it has ended meanwhile


def remove(folder):
    """Removes a control group, even if a process is left in it. One that cannot be removed is named on stderr: the series goes on."""
    deadline = time.monotonic() + EMPTY_S
    while True:
        try:
            return os.rmdir(folder)
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > deadline:
                return print(f"evidence: cannot remove {folder}: {error.strerror}", file=sys.stderr)
        empty(folder)
        time.sleep(LOOK_S)


class Quota:
    """A control group of its own for the program, which gets a quota of m - 1 processors."""

    def __init__(self, m):
        self.limit_us = (m - 1) * PERIOD_US
        first = os.path.exists(f"{GROUP_V1}/cpu.cfs_quota_us")
        self.folder = f"{GROUP_V1 if first else GROUP_V2}/juggle-evidence-{os.getpid()}"
        self.file = f"{self.folder}/{'cpu.cfs_quota_us' if first else 'cpu.max'}"
        self.text = str(self.limit_us) if first else f"{self.limit_us} {PERIOD_US}"
        os.makedirs(self.folder, exist_ok=True)
        try:
            write(self.file, "-1" if first else "max")
        except OSError:
            remove(self.folder)
            raise

    def enter(self):
        """Called in the child, before the program is executed."""
        write(f"{self.folder}/cgroup.procs", os.getpid())

    def begin(self):
        write(self.file, self.text)

    def end(self):
        remove(self.folder)
        return 0


class Cpuset:
    """A control group of its own for the program, whose cpuset loses a processor: like `taskset` on all its present and future threads."""

    def __init__(self, m):
        first = os.path.exists(f"{CPUSET_V1}/cpuset.cpus")
        self.folder = f"{CPUSET_V1 if first else GROUP_V2}/juggle-evidence-{os.getpid()}"
        self.cpus = list(map(str, sorted(os.sched_getaffinity(0))[:m]))
        os.makedirs(self.folder, exist_ok=True)
        try:
            self.set(self.cpus)
            if first:
                with open(f"{CPUSET_V1}/cpuset.mems", encoding="ascii") as mems:
                    write(f"{self.folder}/cpuset.mems", mems.read())
        except OSError:
            remove(self.folder)
            raise

    def set(self, cpus):
        write(f"{self.folder}/cpuset.cpus", ",".join(cpus))

    def enter(self):
        write(f"{self.folder}/cgroup.procs", os.getpid())

    def begin(self):
        self.set(self.cpus[:-1])

    def end(self):
        remove(self.folder)
        return 0


class Hog:
    """A busy loop at nice -20, beside which the kernel lets other programs hardly run."""

    def __init__(self, m):
        self.cpu, self.pid = sorted(os.sched_getaffinity(0))[m - 1], None

    def enter(self):
        pass

    def begin(self):
        self.pid = os.fork()
        if self.pid == 0:
            os.sched_setaffinity(0, {self.cpu})
            os.setpriority(os.PRIO_PROCESS, 0, HOG_NICE)
            os.execvp("sh", ["sh", "-c", "while :; do :; done"])

    def end(self):
        if self.pid is None:
            return 0
        os.kill(self.pid, signal.SIGKILL)
        usage = os.wait4(self.pid, 0)[2]
        return usage.ru_utime + usage.ru_stime


class Offline(Hog):
    def switch(self, on):
        write(f"/sys/devices/system/cpu/cpu{self.cpu}/online", int(on))

    def begin(self):
        self.switch(False)

    def end(self):
        self.switch(True)
        return 0


class Loss:
    """`with Loss(how, m) as loss:` takes a processor AFTER_S after the beginning, and gives it back at the end."""

    def __init__(self, how, m):
        self.how, self.m, self.cpu_s = how, m, 0
        self.kind = {"quota": Quota, "cpuset": Cpuset, "hog": Hog, "offline": Offline}.get(how)

    def __enter__(self):
        self.loss = self.kind(self.m) if self.kind else None
        self.timer = threading.Timer(AFTER_S, self.begin)
        if self.loss:
            self.timer.start()
        return self

    def begin(self):
        try:
            self.loss.begin()
        except OSError:
            pass  # the program ended meanwhile

    def enter(self):
        if self.loss:
            self.loss.enter()

    def __exit__(self, *_):
        self.timer.cancel()
        if self.loss:
            self.timer.join()
            self.cpu_s = self.loss.end()


def check(how, m):
    """Raises UsageError if that cannot be done here."""
    if how and os.geteuid() != 0:
        raise UsageError(f"--lose {how}: taking a processor away needs root")
    try:
        if how in ("quota", "cpuset"):
            (Quota if how == "quota" else Cpuset)(m).end()
        elif how == "offline" and not os.path.exists(f"/sys/devices/system/cpu/cpu{sorted(os.sched_getaffinity(0))[-1]}/online"):
            raise OSError(0, "the last processor cannot be switched off")
    except OSError as error:
        raise UsageError(f"--lose {how}: not possible here: {error.strerror}") from None
