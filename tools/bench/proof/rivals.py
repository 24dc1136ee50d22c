# SPDX-License-Identifier: BSD-3-Clause
"""The rivals that are compared with the kernel, each tuned as its manual says, and the programs to which each applies."""

import ctypes
import os
import re
import shlex
import shutil
import struct
from dataclasses import dataclass, field

from matrix import UsageError
from proof.programs import PATH

SYS_SETATTR, SYS_GETATTR = {"x86_64": (314, 315), "aarch64": (274, 275)}.get(os.uname().machine, (None, None))
ATTR_SIZE, NICE_AT, SLICE_AT = 56, 16, 24
SHORT_SLICE_NS, LONG_SLICE_NS = 100_000, 100_000_000
DLB_HOMES = ("/usr", "/usr/local", "/opt/dlb")
RUNTIME_SCHEDULE = re.compile(rb"GOMP_(loop|parallel_loop)_(maybe_)?(nonmonotonic_)?runtime|omp_get_schedule")


@dataclass(frozen=True)
class Setting:
    """One way to run a program, the same for all rivals."""
    threads: int
    user: bool = False
    beside: str = ""   # "loop": one busy loop
    lose: str = ""     # a processor, by "quota", "cpuset", "hog" or "offline"

    def __str__(self):
        return (f"n={self.threads}{' as a user' if self.user else ''}{' beside a loop' if self.beside else ''}"
                f"{f' losing a processor by {self.lose}' if self.lose else ''}")


@dataclass
class Launch:
    """How a program is started."""
    threads: int
    words: list = field(default_factory=list)  # before the program
    before_rank: list = field(default_factory=list)  # between mpirun and the program
    variables: dict = field(default_factory=dict)
    unset: tuple = ()
    bind: str = ""       # what mpirun binds ranks to
    slice_ns: int = 0


def set_slice(slice_ns):
    """Sets the time slice of the caller and of all processes that it starts. Its policy and nice value stay."""
    libc = ctypes.CDLL(None, use_errno=True)
    attr = ctypes.create_string_buffer(struct.pack("<IIQiIQQQII", ATTR_SIZE, 0, 0, os.getpriority(os.PRIO_PROCESS, 0), 0,
                                                   slice_ns, 0, 0, 0, 0))
    if SYS_SETATTR is None or libc.syscall(SYS_SETATTR, 0, attr, 0) != 0:
        raise OSError(ctypes.get_errno(), "sched_setattr")
    return libc


def slice_stays(slice_ns):
    """True if the kernel keeps a time slice that is set; kernels before 6.12 do not. Tried in a child process."""
    child = os.fork()
    if child == 0:
        try:
            libc = set_slice(slice_ns)
            seen = ctypes.create_string_buffer(ATTR_SIZE)
            libc.syscall(SYS_GETATTR, 0, seen, ATTR_SIZE, 0)
            os._exit(0 if struct.unpack_from("<Q", seen, SLICE_AT)[0] == slice_ns else 1)
        except OSError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def dlb_home(mpi):
    """Returns a folder with dlb_run and libdlb_mpi.so for the MPI, or None: one of $DLB_HOME (a list as of PATH, because DLB is built for one
    MPI), or a usual one. Only a library that is built for Open MPI contains the names of its symbols."""
    for home in (*filter(None, os.environ.get("DLB_HOME", "").split(":")), *DLB_HOMES):
        try:
            with open(os.path.join(home, "lib", "libdlb_mpi.so"), "rb") as file:
                if os.access(os.path.join(home, "bin", "dlb_run"), os.X_OK) and (b"ompi_mpi_" in file.read()) == (mpi == "openmpi"):
                    return home
        except OSError:
            pass
    return None


def schedules_at_run_time(program, setting):
    """True if the program has loops with schedule(runtime). These call functions of the OpenMP runtime whose names are in the program's file."""
    path = shutil.which(program.words({"n": setting.threads, "m": setting.threads, "run": "", "bin": ""})[0], path=PATH)
    try:
        with open(path or "", "rb") as file:
            return bool(RUNTIME_SCHEDULE.search(file.read()))
    except OSError:
        return False


class Rivals:
    """The table of rivals. An entry has a description, and a function that returns a Launch, or the reason why there is none."""

    def __init__(self, juggle):
        self.juggle, self.m = juggle, len(os.sched_getaffinity(0))
        self.table = {
            "kernel": ("the program as it is: the base of all ratios", self.kernel),
            "juggle": ("juggle -n N --", self.balanced),
            "fit": ("juggle --fit -- and no number of threads told", self.fit),
            "fewer": ("as many threads or ranks as processors", self.fewer),
            "static": ("pinned: OMP_PROC_BIND=true OMP_PLACES=threads, mpirun's binding, else juggle --policy static", self.static),
            "dynamic": ("OMP_SCHEDULE=dynamic, where loops leave it to the run", self.schedule("dynamic")),
            "guided": ("OMP_SCHEDULE=guided, the same", self.schedule("guided")),
            "passive": ("OMP_WAIT_POLICY=passive", self.waiting(OMP_WAIT_POLICY="passive")),
            "active": ("OMP_WAIT_POLICY=active", self.waiting(OMP_WAIT_POLICY="active")),
            "nospin": ("GOMP_SPINCOUNT=0", self.waiting(GOMP_SPINCOUNT="0")),
            "slice-short": ("kernel slices of 0.1 ms by sched_setattr (Linux 6.12 and newer)", self.slices(SHORT_SLICE_NS)),
            "slice-long": ("kernel slices of 100 ms, the same", self.slices(LONG_SLICE_NS)),
            "lewi": ("DLB's LeWI, for ranks on processors of their own, where DLB is in a folder of $DLB_HOME, or a usual one", self.lewi),
        }
        self.slices_stay = {slice_ns: slice_stays(slice_ns) for slice_ns in (SHORT_SLICE_NS, LONG_SLICE_NS)}

    def add(self, text):
        """Adds a rival, given as NAME=COMMAND."""
        name, _, command = text.partition("=")
        if not name.isidentifier() or not command or name in self.table:
            raise UsageError(f"--with '{text}': expected a new NAME=COMMAND")
        first, *more = shlex.split(command)
        words = [os.path.abspath(first) if "/" in first else first, *more]
        self.table[name] = (command, lambda _program, setting: Launch(
            setting.threads, [word.replace("{n}", str(setting.threads)) for word in words]))

    def launch(self, name, program, setting):
        """Returns a Launch, or a text that says why there is none."""
        return self.table[name][1](program, setting)

    def kernel(self, _program, setting):
        return Launch(setting.threads)

    def balanced(self, _program, setting):
        return Launch(setting.threads, [self.juggle, "--service", "never", "-q", "-n", str(setting.threads), "--"])

    def fit(self, program, setting):
        variables = [name for name, value in program.variables.items() if name.endswith("_NUM_THREADS") and "{n}" in value]
        if program.threads == "ranks" or "{n}" in program.command or not (variables or program.threads == "variable"):
            return "no variable alone tells the program its threads"
        return Launch(setting.threads, [self.juggle, "--service", "never", "-q", "--fit", "--"], unset=("OMP_NUM_THREADS", *variables))

    def fewer(self, program, setting):
        if setting.threads <= self.m or program.threads == "none":
            return "there are no more threads than processors"
        return Launch(self.m)

    def static(self, program, setting):
        if program.threads == "variable":
            return Launch(setting.threads, variables={"OMP_PROC_BIND": "true", "OMP_PLACES": "threads"})
        if program.mpi:
            return Launch(setting.threads, bind="core")
        return Launch(setting.threads, [self.juggle, "--service", "never", "-q", "--policy", "static", "-n",
                                        str(setting.threads), "--"])

    def schedule(self, how):
        def launch(program, setting):
            if program.threads != "variable" or not schedules_at_run_time(program, setting):
                return "no loop of the program leaves its schedule to the run"
            return Launch(setting.threads, variables={"OMP_SCHEDULE": how})
        return launch

    def waiting(self, **variables):
        def launch(program, setting):
            if program.threads != "variable":
                return "the program has no OpenMP"
            return Launch(setting.threads, variables=variables)
        return launch

    def slices(self, slice_ns):
        def launch(_program, setting):
            if not self.slices_stay[slice_ns]:
                return "the kernel takes no slices"
            return Launch(setting.threads, slice_ns=slice_ns)
        return launch

    def lewi(self, program, setting):
        """In DLB a processor has one owner: if ranks share processors, DLB registers the first rank and ends the others. The key of the shared
        memory is different for each series, because the data that killed ranks leave there would make the next ones fail."""
        if not program.mpi or program.threads != "ranks":
            return "LeWI lends processors of one rank to another: the program has none"
        if setting.threads > self.m:
            return "LeWI wants ranks on processors of their own, and here are fewer"
        home = dlb_home(program.mpi)
        if not home:
            return f"no DLB for {program.mpi} was found"
        return Launch(setting.threads, bind="core", before_rank=[f"{home}/bin/dlb_run", "env", f"LD_PRELOAD={home}/lib/libdlb_mpi.so"],
                      variables={"DLB_ARGS": f"--lewi --ompt --shm-key=evidence-{os.getpid()}",
                                 "OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"})
