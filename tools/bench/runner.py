# SPDX-License-Identifier: BSD-3-Clause
"""Runs one job: workload, launcher and rivals; accounts for every CPU second meanwhile."""

import json
import os
import shlex
import signal
import subprocess
import tempfile
import threading
import time

from matrix import Cell, UsageError

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
# Prefixes of variables that OpenMP runtimes and Open MPI read. They are removed, so that every run uses the defaults.
FOREIGN_SETTINGS = ("OMP_", "GOMP_", "KMP_", "OMPI_MCA_")
CALIBRATION_ITERATIONS = 8_000_000
# A run hangs if it takes longer than TIMEOUT_FACTOR times its time under perfect balance, plus TIMEOUT_S.
TIMEOUT_FACTOR, TIMEOUT_S, KILL_AFTER_S = 15, 20, 3
# Shares of the machine's CPU time that count as a disturbance; /proc/stat errs by a few ticks.
FOREIGN_MAX, STEAL_MAX = 0.03, 0.03
HOG_NICE = (0, -3)


def clean_environment():
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(FOREIGN_SETTINGS)}
    if os.geteuid() == 0:
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return environment


def machine_cpu_s():
    """(busy, stolen) CPU seconds of the processors that we may use."""
    own = {f"cpu{cpu}" for cpu in os.sched_getaffinity(0)}
    busy = stolen = 0
    with open("/proc/stat", encoding="ascii") as stat:
        for line in stat:
            name, *fields = line.split()
            if name in own:
                user, nice, system, _, _, irq, softirq, steal = map(int, fields[:8])
                busy += user + nice + system + irq + softirq
                stolen += steal
    return busy / CLOCK_TICKS, stolen / CLOCK_TICKS


class Meter:
    """Measures the CPU time between its creation and read() that the run did not use."""

    def __init__(self):
        self.busy_s, self.stolen_s = machine_cpu_s()
        self.wall_s, self.self_s = time.monotonic(), time.process_time()

    def read(self, own_s):
        """`own_s`: CPU seconds of everything that the run started and has waited for."""
        busy_s, stolen_s = machine_cpu_s()
        wall_s = time.monotonic() - self.wall_s
        capacity_s = wall_s * len(os.sched_getaffinity(0))
        foreign_s = busy_s - self.busy_s - own_s - (time.process_time() - self.self_s)
        return {"wall_s": wall_s, "foreign_share": max(0, foreign_s) / capacity_s,
                "steal_share": (stolen_s - self.stolen_s) / capacity_s}


class RunFailed(Exception):
    """One run gave no result; the others go on."""


class Process:
    """A child in its own session, so that all processes that it started can be ended with it."""

    def __init__(self, command):
        self.command = command
        self.output = tempfile.TemporaryFile()
        try:
            self.child = subprocess.Popen(command, stdout=self.output, stderr=subprocess.STDOUT,
                                          stdin=subprocess.DEVNULL, env=clean_environment(),
                                          start_new_session=True)
        except OSError as error:
            raise RunFailed(f"{command[0]}: {error.strerror}") from None

    def wait(self):
        """Returns (status, CPU seconds of it and of all processes that it waited for)."""
        if self.child.returncode is None:
            _, status, usage = os.wait4(self.child.pid, 0)
            self.child.returncode = os.waitstatus_to_exitcode(status)
            self.cpu_s = usage.ru_utime + usage.ru_stime
        return self.child.returncode, self.cpu_s

    def kill(self, number=signal.SIGKILL):
        if self.child.returncode is None:
            os.killpg(self.child.pid, number)

    def result(self):
        """Returns the result that the workload printed, with the CPU time of the whole command."""
        status, cpu_s = self.wait()
        self.output.seek(0)
        text = self.output.read().decode(errors="replace")
        start = text.find('{"threads_count"')  # a launcher may print too
        if status != 0 or start < 0:
            late = status in (-signal.SIGTERM, -signal.SIGKILL)
            reason = "took too long" if late else f"status {status}"
            last = text.strip().splitlines()[-1:] or ["no output"]
            raise RunFailed(f"{shlex.join(self.command)}: {reason}: {last[0]}")
        result, _ = json.JSONDecoder().raw_decode(text[start:])
        return result | {"command_cpu_s": cpu_s}


def finish(processes, timeout_s):
    """Waits for all, not longer than the timeout, and returns their results."""
    def end(number):
        for process in processes:
            process.kill(number)

    timers = [threading.Timer(timeout_s, end, [signal.SIGTERM]),
              threading.Timer(timeout_s + KILL_AFTER_S, end, [signal.SIGKILL])]
    for timer in timers:
        timer.start()
    try:
        for process in processes:
            process.wait()
    except BaseException:
        end(signal.SIGKILL)
        raise
    finally:
        for timer in timers:
            timer.cancel()
    return [process.result() for process in processes]


class Runner:
    def __init__(self, bin_directory, launchers, hog_scale):
        self.bin = bin_directory
        self.launchers = launchers  # name -> command before the workload, with {n}; or None
        self.hog_scale = hog_scale
        self.m = len(os.sched_getaffinity(0))
        self.first_iteration_ns = None  # determines the iterations of a phase in all rounds
        self.iteration_ns = None        # determines the ideal time of the current cell

    def program(self, name):
        path = os.path.join(self.bin, name)
        if not os.access(path, os.X_OK):
            raise UsageError(f"{path} is not there: run make first")
        return path

    def available(self, cell):
        """Why the cell cannot be run here, or None."""
        needed = {"libomp": "ubench-libomp"} | {mpi: f"ubench-mpi.{mpi}" for mpi in
                                                ("openmpi", "mpich")}
        name = needed.get(cell.barrier, "ubench")
        if not os.access(os.path.join(self.bin, name), os.X_OK):
            return f"{name} was not built"
        if cell.scene == "hogs" and os.geteuid() != 0:
            return f"a hog at nice {min(HOG_NICE)} needs root"
        return None

    # ---- commands ----

    def calibrate(self):
        """Measures the time of an iteration while all processors compute, so that shared resources are shared."""
        m = str(self.m)
        process = Process([self.program("ubench"), "-n", m, "--static", m, "-k", "10", "-b", "busy",
                           "--json", "--iterations", str(CALIBRATION_ITERATIONS)])
        result, = finish([process], TIMEOUT_S)
        self.iteration_ns = result["work_ns"]["median"] / CALIBRATION_ITERATIONS
        self.first_iteration_ns = self.first_iteration_ns or self.iteration_ns

    def workload(self, cell: Cell, launcher, iterations, phases_count):
        work = ["--json", "-k", str(phases_count), "--iterations", str(iterations)]
        if launcher == "static":
            work += ["--static", str(self.m)]
        if cell.scene == "mpi":
            mpirun = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"],
                      "mpich": ["mpirun.mpich"]}[cell.barrier]
            return [*mpirun, "-n", str(cell.n), self.program(f"ubench-mpi.{cell.barrier}"), *work]
        name, barrier = ("ubench-libomp", "omp") if cell.barrier == "libomp" else \
            ("ubench", cell.barrier)
        return [self.program(name), "-n", str(cell.n), "-b", barrier, *work]

    def launch(self, cell, launcher, iterations, phases_count):
        prefix = self.launchers[launcher]
        words = shlex.split(prefix.replace("{n}", str(cell.n))) if prefix else []
        return Process(words + self.workload(cell, launcher, iterations, phases_count))

    def start_hogs(self, turn):
        """Starts two hogs: the same ones in the runs of all launchers of a round, others in the next round."""
        return [Process([self.program("cpuhog"), "--scale", str(self.hog_scale), "--nice", str(nice),
                         "--seed", str(len(HOG_NICE) * turn + index)])
                for index, nice in enumerate(HOG_NICE)]

    def start_neighbors(self, job):
        """Starts the programs that run beside the workload: the hogs, or one busy loop that never sleeps."""
        if job.cell.scene == "hogs":
            return self.start_hogs(job.round)
        if job.cell.scene == "beside":
            return [Process(["sh", "-c", "while :; do :; done"])]
        return []

    # ---- runs ----

    def run(self, job):
        """One measured run: a result for each of its programs. Raises RunFailed."""
        cell = job.cell
        iterations = max(1, round(cell.phase_ns / self.first_iteration_ns))
        phases_count = cell.phases_count(self.m, job.run_s * 1e9)
        # The ideal time is that of the work at its present speed, not the nominal phase length.
        scale = iterations * self.iteration_ns / cell.phase_ns
        ideal_ns = cell.ideal_ns(self.m) * phases_count * scale
        meter = Meter()
        hogs = self.start_neighbors(job)
        try:
            results = finish([self.launch(cell, job.launcher, iterations, phases_count)
                              for _ in range(cell.programs_count)],
                             TIMEOUT_S + TIMEOUT_FACTOR * ideal_ns / 1e9)
        finally:
            for hog in hogs:
                hog.kill()
            hogs_s = sum(hog.wait()[1] for hog in hogs)
        load = meter.read(hogs_s + sum(result["command_cpu_s"] for result in results))
        return [load | {
            "round": job.round,
            "elapsed_ns": result["elapsed_ns"],
            "ideal_ns": ideal_ns,
            "phases_count": phases_count,
            "iterations": iterations,
            "phase_ns": result["phase_ns"],
            "work_ns": result["work_ns"],
            # Overhead of the launcher: the CPU time of the whole command without that of the workload.
            "overhead_s": result["command_cpu_s"] - result["cpu_ns"] / 1e9,
        } for result in results]


def disturbed(run):
    return run["foreign_share"] > FOREIGN_MAX or run["steal_share"] > STEAL_MAX
