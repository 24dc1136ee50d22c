# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program once under one rival, and says whether the run was disturbed, and by what."""

import hashlib
import os
import shlex
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time

import runner
from matrix import UsageError
from proof import children, efficiency, inputs
from proof.programs import PATH
from proof.losses import Loss
from proof.rivals import set_slice

# On two processors of a virtual machine, loops differ by 1 to 2 % if nothing disturbs them.
DRIFT_MAX = 0.04
# /proc/stat counts in hundredths of a second, for each processor and kind of time.
COUNT_ERROR_S = 0.04
CALIBRATION_BYTES, CALIBRATION_LOOPS = 1 << 20, 5
LIMIT_FACTOR = 10  # a run may take this many times its usual time, and at least --limit
PREPARE_LIMIT_S, CHECK_LIMIT_S = 600, 60
NOBODY = 65534
LOOP = ["sh", "-c", "while :; do :; done"]


class Failed(Exception):
    """A run of a program failed; other programs are still measured."""


def calibrate():
    """Returns the milliseconds of a fixed piece of work that all processors do at the same time."""
    piece, found = bytes(CALIBRATION_BYTES), []

    def loop(cpu):
        os.sched_setaffinity(0, {cpu})
        times = []
        for _ in range(CALIBRATION_LOOPS):
            started = time.monotonic_ns()
            hashlib.md5(piece).digest()
            times.append(time.monotonic_ns() - started)
        found.append(min(times) / 1e6)

    threads = [threading.Thread(target=loop, args=(cpu,)) for cpu in os.sched_getaffinity(0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statistics.mean(found)


def link(path, name):
    """Makes a hard link to a file, because some programs read no symbolic links; a symbolic link to a folder."""
    (os.symlink if os.path.isdir(path) else os.link)(path, name)


def exceeds(run, what, most):
    return run[what] > most and run[what] * run["capacity_s"] > COUNT_ERROR_S


def ending(status, limit_s):
    return f"took longer than {limit_s:g} s" if status is None else f"status {status}"


def disturbance(run, clock_ms):
    """Returns why a run does not count, or None. `clock_ms`: the median of the calibrations of its round."""
    if exceeds(run, "stolen", runner.STEAL_MAX):
        return f"the host took {run['stolen']:.0%}"
    if exceeds(run, "foreign", runner.FOREIGN_MAX):
        return f"other programs took {run['foreign']:.0%}"
    drift = max(abs(clock / clock_ms - 1) for clock in run["clocks_ms"])
    return f"the clock drifted by {drift:.0%}" if drift > DRIFT_MAX else None


class Bench:
    def __init__(self, folder, rivals, binaries, limit_s):
        self.folder, self.rivals, self.m, self.binaries, self.limit_s = folder, rivals, rivals.m, binaries, limit_s
        self.run_folder = os.path.join(folder, f"run-{os.getpid()}")
        try:
            os.makedirs(os.path.join(folder, "inputs"), exist_ok=True)
            os.makedirs(os.path.join(folder, "prepared"), exist_ok=True)
        except OSError as error:
            raise UsageError(f"--folder {folder}: {error.strerror}") from None

    def close(self):
        shutil.rmtree(self.run_folder, ignore_errors=True)

    def values(self, threads):
        return {"n": threads, "m": self.m, "bin": self.binaries, "run": self.run_folder}

    # ---- before a run ----

    def shell(self, program, text, folder, values, limit_s=CHECK_LIMIT_S, user=None):
        """Runs a shell command and returns its output. The output goes to a file, because a pipe stays open while a remaining process has it."""
        words = ["sh", "-ec", program.filled(text, values)]
        with tempfile.TemporaryFile() as out:
            child = children.start(words, cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=runner.clean_environment() | {"PATH": PATH},
                                   user=user, group=user, extra_groups=None if user is None else [])
            status = children.await_end(child, limit_s)[0]
            out.seek(0)
            printed = out.read()
        if status != 0:
            last = printed.decode(errors="replace").strip().splitlines()[-1:] or [""]
            raise Failed(f"{ending(status, limit_s)}: {text.splitlines()[0][:60]}: {last[0][:100]}")
        return printed

    def link_inputs(self, program, folder):
        for name, spec in program.inputs.items():
            link(inputs.make(os.path.join(self.folder, "inputs"), spec), os.path.join(folder, name))

    def prepared(self, program):
        """Returns the folder with the results of the program's Prepare command, which runs only once."""
        stamp = hashlib.sha256(f"{program.prepare} {program.inputs}".encode()).hexdigest()[:12]
        path = os.path.join(self.folder, "prepared", f"{program.name}-{stamp}")
        if not os.path.exists(path):
            shutil.rmtree(path + ".new", ignore_errors=True)
            os.makedirs(path + ".new")
            self.link_inputs(program, path + ".new")
            if program.prepare:
                self.shell(program, program.prepare, path + ".new", self.values(self.m), PREPARE_LIMIT_S)
            os.rename(path + ".new", path)
        return path

    def lay(self, program, setting):
        """Makes a fresh folder for a run, with links to all prepared files."""
        made = self.prepared(program)
        shutil.rmtree(self.run_folder, ignore_errors=True)
        os.makedirs(self.run_folder)
        for name in os.listdir(made):
            link(os.path.join(made, name), os.path.join(self.run_folder, name))
        if setting.user and os.geteuid() == 0:
            os.chown(self.run_folder, NOBODY, NOBODY)
        if program.before:
            self.shell(program, program.before, self.run_folder, self.values(setting.threads), user=self.user(setting))

    @staticmethod
    def user(setting):
        return NOBODY if setting.user and os.geteuid() == 0 else None

    def command(self, program, launch):
        words = program.words(self.values(launch.threads))
        if program.mpi:
            first = words.index("-n") + 2
            words[first:first] = launch.before_rank
        if launch.bind == "core" and program.mpi == "mpich":
            words[1:1] = ["-bind-to", "hwthread"]
        elif launch.bind == "core":
            words[words.index("none")] = "core:overload-allowed"
        return launch.words + words

    def environment(self, program, launch):
        found = runner.clean_environment() | {"HOME": self.run_folder, "TMPDIR": self.run_folder, "LC_ALL": "C.UTF-8", "PATH": PATH}
        if program.threads == "variable":
            found["OMP_NUM_THREADS"] = str(launch.threads)
        found |= {name: program.filled(value, self.values(launch.threads)) for name, value in program.variables.items()}
        return {name: value for name, value in (found | launch.variables).items() if name not in launch.unset}

    # ---- the run ----

    def start(self, program, setting, launch, loss):
        def enter():
            loss.enter()
            if launch.slice_ns:
                set_slice(launch.slice_ns)

        user = self.user(setting)
        with open(os.path.join(self.run_folder, "out"), "wb") as out, open(os.path.join(self.run_folder, "error"), "wb") as error:
            try:
                return children.start(self.command(program, launch), cwd=self.run_folder, stdout=out, stderr=error,
                                      env=self.environment(program, launch), user=user, group=user,
                                      extra_groups=None if user is None else [],
                                      preexec_fn=enter if launch.slice_ns or loss.loss else None)
            except OSError as failure:
                raise Failed(f"{shlex.join(program.words(self.values(launch.threads)))[:60]}: {failure.strerror}") from None

    def timed(self, program, setting, launch, limit_s):
        """Runs a program in the folder that lay() has made. Returns its time and the loads of the machine."""
        neighbor = subprocess.Popen(LOOP) if setting.beside == "loop" else None
        before_ms, neighbor_s = calibrate(), 0
        try:
            meter = runner.Meter()
            with Loss(setting.lose, self.m) as loss:
                started = time.monotonic()
                child = self.start(program, setting, launch, loss)
                status, own_s, ended = children.await_end(child, limit_s)
        finally:
            if neighbor:
                neighbor.kill()
                usage = os.wait4(neighbor.pid, 0)[2]
                neighbor.returncode, neighbor_s = -signal.SIGKILL, usage.ru_utime + usage.ru_stime
        load = meter.read(own_s + neighbor_s + loss.cpu_s)
        if status != 0:
            with open(os.path.join(self.run_folder, "error"), encoding="utf-8", errors="replace") as error:
                last = error.read().strip().splitlines()[-1:] or ["no message"]
            raise Failed(f"{ending(status, limit_s)}: {last[0][:100]}")
        return {"seconds": ended - started, "cpu_s": own_s, "foreign": load["foreign_share"], "stolen": load["steal_share"],
                "capacity_s": load["wall_s"] * self.m,
                "clocks_ms": [before_ms, calibrate()]}

    def run(self, program, rival, setting, usual_s=None):
        """Measures one run; `output` is a hash of the output of its Check. Raises Failed."""
        launch = self.rivals.launch(rival, program, setting)
        self.lay(program, setting)
        run = self.timed(program, setting, launch, max(self.limit_s, LIMIT_FACTOR * (usual_s or 0)))
        checked = self.shell(program, program.check, self.run_folder, self.values(launch.threads))
        if program.rate:
            # The program runs for a fixed time, so the time of an operation counts.
            run["seconds"] = 1 / float(self.shell(program, program.rate, self.run_folder, self.values(launch.threads)))
        return run | {"output": hashlib.sha256(checked).hexdigest()[:16], "ended": time.time()}

    def efficiency(self, program, setting):
        """Runs the program once under juggle, for a run that does not count. Returns how it spent its time, or None."""
        launch = efficiency.observed(self.rivals.launch("juggle", program, setting), self.run_folder)
        self.lay(program, setting)
        self.timed(program, setting, launch, self.limit_s)
        return efficiency.read(self.run_folder)
