# SPDX-License-Identifier: BSD-3-Clause
"""Shared parts of the live tests, which run juggle with real programs and look at threads through /proc."""

import functools
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
JUGGLE = f"{BUILD}/bin/juggle"
UBENCH = f"{BUILD}/bin/ubench"
# Long enough for any machine: only a hang takes longer.
PATIENCE_S = 60
ATTEMPTS = 3
# If other programs used a larger part than this, the test says nothing about the balance.
FOREIGN_SHARE_MAX = 0.05

CPUS = sorted(os.sched_getaffinity(0))
PAIR = CPUS[:2]
ON_PAIR = ["-c", ",".join(map(str, PAIR))]
# Other policies open masks again at once; pins of this one last, so that tests can see them.
PINNING = ["--policy", "static"]


def another_user_may_run_it():
    """True if this is root, and others may enter all folders above BUILD."""
    folders = [BUILD, *map(str, pathlib.Path(BUILD).parents)]
    return os.geteuid() == 0 and all(os.stat(folder).st_mode & stat.S_IXOTH for folder in folders)


def program(name):
    return f"{BUILD}/tests/live/programs/{name}"


def environment(**more):
    """The environment without the settings of the user who runs the tests, and without a service that may run here."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("JUGGLE")}
    return {**clean, "JUGGLE_SERVICE": "never", **more}


def start(*command, **options):
    options.setdefault("env", environment())
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([str(word) for word in command], text=True, **options)


def run(*command, input=None, **options):
    if input is not None:
        options["stdin"] = subprocess.PIPE
    process = start(*command, **options)
    try:
        process.out, process.err = process.communicate(input, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process


def run_reported(*arguments, command=(), **options):
    """Runs juggle, as an argument of `command` if there is one; the result has the JSON report."""
    with tempfile.NamedTemporaryFile("r") as file:
        os.chmod(file.name, 0o666)
        process = run(*command, JUGGLE, "--report", "json", "-o", file.name, *arguments, **options)
        text = file.read()
    process.report = json.loads(text) if text else None
    return process


def eventually(condition, what):
    """Waits until the condition is true; returns its result."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError(f"never came true: {what}")


def written(process, terminal):
    """Returns all that is written to a terminal until a process has ended."""
    os.set_blocking(terminal, False)
    text, ended = b"", False
    while True:
        try:
            text += os.read(terminal, 65536)
        except BlockingIOError:
            if ended:
                return text
            time.sleep(0.05)
            ended = process.poll() is not None


def status_field(path, name):
    """Returns a field of a /proc status file, or None if the thread is gone."""
    try:
        with open(f"/proc/{path}/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return None


def is_alive(pid):
    """True if the process lives. A zombie does not count, because the process that inherits it may be late to wait for it."""
    return (status_field(pid, "State") or "X")[0] not in "ZX"


def mask(path):
    return status_field(path, "Cpus_allowed_list")


OWN_MASK = mask("self")


def children(pid):
    """Returns the children of all threads of the process."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return found


def descendants(pid):
    found = children(pid)
    for child in list(found):
        found += descendants(child)
    return found


def threads(pid):
    """Returns the masks of a process's threads, by thread ID."""
    try:
        numbers = [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return {}
    return {number: mask(f"{pid}/task/{number}") for number in numbers}


def set_idle_priority(pid):
    """Gives its threads the lowest priority, because their results are not needed. Their demand stays the same, because
    waiting counts."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setscheduler(int(thread), os.SCHED_IDLE, os.sched_param(0))


def pinned(pids):
    """Returns those threads of these processes that may run on one processor only, with its number."""
    return {number: int(cpus) for pid in pids for number, cpus in threads(pid).items()
            if cpus and cpus.isdigit()}


def balanced_over_pair(pins, count):
    """True if this number of threads is pinned to the two processors, and their loads differ by at most one thread."""
    loads = [list(pins.values()).count(cpu) for cpu in PAIR]
    return sum(loads) == len(pins) == count and abs(loads[0] - loads[1]) <= 1


class Watch:
    """Measures the share of the pair of processors that other programs have used since it was created."""

    def __init__(self):
        self.began_s, self.busy_s, self.own_s = time.monotonic(), self.busy(), self.own()

    def busy(self):
        tick = os.sysconf("SC_CLK_TCK")
        with open("/proc/stat", encoding="ascii") as file:
            rows = [line.split() for line in file if line[:3] == "cpu" and line[3].isdigit()]
        # user, nice, system, irq, softirq, steal
        return sum(int(row[i]) for row in rows if int(row[0][3:]) in PAIR
                   for i in (1, 2, 3, 6, 7, 8)) / tick

    def own(self):
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system

    def foreign_share(self):
        foreign_s = (self.busy() - self.busy_s) - (self.own() - self.own_s)
        return foreign_s / (len(PAIR) * (time.monotonic() - self.began_s))


def on_quiet_machine(test):
    """For tests of the balance: such a test is tried again, and skipped if other programs used the processors meanwhile."""
    @functools.wraps(test)
    def wrapped(self):
        for attempt in range(ATTEMPTS):
            watch = Watch()
            try:
                return test(self)
            except Unequal as failure:
                share = watch.foreign_share()
                if share <= FOREIGN_SHARE_MAX and attempt == ATTEMPTS - 1:
                    raise
                disturbed = f"others used {share:.0%} of the processors: {failure}"
        self.skipTest(disturbed)
    return wrapped


class Unequal(AssertionError):
    """The progress of threads was not as equal as it should be."""


class LiveTest(unittest.TestCase):
    def setUp(self):
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                self.signal_all([*descendants(process.pid), process.pid])
            process.communicate()

    def background(self, *command, **options):
        process = start(*command, **options)
        self.started.append(process)
        return process

    def finish(self, process):
        process.out, process.err = process.communicate(timeout=PATIENCE_S)
        return process

    def read_until(self, stream, words):
        """Returns the lines up to the first one that contains the words."""
        lines = []
        while not lines or words not in lines[-1]:
            lines.append(stream.readline())
            self.assertTrue(lines[-1], f"never said: {words}")
        return lines

    def one_line(self, text, *words):
        self.assertEqual(text.count("\n"), 1, text)
        for word in words:
            self.assertIn(word, text)

    def check_spread(self, report, bound_ns):
        if report["spread_ns"] > bound_ns:
            raise Unequal(f"progress differs by {report['spread_ns']} ns, more than {bound_ns}")

    def signal_all(self, pids, number=signal.SIGKILL):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass


class Result(unittest.TextTestResult):
    """Prints the reason of each skip in the form that the test runner shows."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skip: {test.id().split('.', 1)[1]}: {reason.removeprefix('skip: ')}", flush=True)


def main():
    if len(CPUS) < 2:
        print("balancing needs two processors, and one is allowed here")
        sys.exit(77)
    unittest.main(testRunner=unittest.TextTestRunner(resultclass=Result, verbosity=2))
