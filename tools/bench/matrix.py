# SPDX-License-Identifier: BSD-3-Clause
"""What is measured: cells, the profiles that choose among them, and the order of the runs."""

import sys
from dataclasses import dataclass
from itertools import product

NSEC = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
BARRIERS = ("block", "yield", "busy", "omp")
PHASE_LENGTHS = ("3ms", "10ms", "30ms", "100ms", "300ms", "3s")
MPIS = ("openmpi", "mpich")
SCENES = ("matrix", "hogs", "pair", "mpi", "spin", "beside")
KEYS = ("scene", "n", "b", "e")

# A run has enough phases that the start of a launcher hardly changes the result.
PHASES_MIN = 6
PHASES_MAX = 2000
# Scenes with short phases. Runs under the kernel are shorter there, because each phase may take 200
# times as long as it should.
SPIN_SCENES = ("spin", "beside")
SPIN_PHASES_MAX = 20000
SPIN_SHORT_NS = 10**6
SPIN_KERNEL_PART = 16
# With phases of a second and more, one short run gives the same result as many.
LONG_PHASE_NS = 10**9
LONG_PHASES_MIN = 2


class UsageError(Exception):
    """An argument cannot be understood, or not be followed; the message says what to do."""


def duration_ns(text):
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = text[len(number):]
    try:
        return round(float(number) * NSEC[unit])
    except (ValueError, KeyError):
        raise UsageError(f"'{text}' is not a duration such as 30ms") from None


def duration_text(time_ns):
    for unit in ("s", "ms", "us"):
        if time_ns >= NSEC[unit]:
            return f"{time_ns / NSEC[unit]:.3g}{unit}"
    return f"{time_ns}ns"


@dataclass(frozen=True)
class Cell:
    """One workload. In the scene "mpi" the barrier is the MPI whose Allreduce is used."""
    scene: str
    n: int
    barrier: str
    phase_ns: int

    def __str__(self):
        return f"{self.scene} n={self.n} b={self.barrier} e={duration_text(self.phase_ns)}"

    @property
    def programs_count(self):
        return 2 if self.scene == "pair" else 1

    def ideal_ns(self, m):
        """Returns the length of a phase under perfect balance: e*n/m, with the threads of all programs."""
        return self.phase_ns * max(1, self.programs_count * self.n / m)

    def phases_count(self, m, run_ns):
        least = LONG_PHASES_MIN if self.is_long else PHASES_MIN
        most = SPIN_PHASES_MAX if self.scene in SPIN_SCENES else PHASES_MAX
        return min(most, max(least, round(run_ns / self.ideal_ns(m))))

    def run_s(self, plan, launcher):
        hard = self.scene in SPIN_SCENES and self.phase_ns < SPIN_SHORT_NS and launcher == "kernel"
        return plan.run_s / SPIN_KERNEL_PART if hard else plan.run_s

    @property
    def is_long(self):
        return self.phase_ns >= LONG_PHASE_NS

    @property
    def rounds_max(self):
        return 1 if self.is_long else sys.maxsize

    def matches(self, wanted):
        """`wanted` maps keys to sets of texts; without a scene, the matrix is meant."""
        own = {"scene": {self.scene}, "n": {str(self.n)}, "b": {self.barrier},
               "e": {duration_text(self.phase_ns)}}
        return all(own[key] & values for key, values in ({"scene": {"matrix"}} | wanted).items())


@dataclass
class Plan:
    """How one scene is measured in one profile."""
    cells: tuple
    rounds: int
    run_s: float           # a run's length under perfect balance
    launchers: tuple = ()  # only these; empty: all


def cells_of(scene, sizes, barriers, phase_lengths):
    return tuple(Cell(scene, n, barrier, duration_ns(e))
                 for n, barrier, e in product(sizes, barriers, phase_lengths))


def full(m):
    rivals = ("kernel", "juggle")
    return {
        "matrix": Plan(cells_of("matrix", (m + 1, 2 * m + 1, 3 * m + 1), (*BARRIERS, "libomp"),
                                PHASE_LENGTHS), 3, 0.8),
        "hogs": Plan(cells_of("hogs", (m, m + 1), ("yield",), ("30ms",)), 25, 1.5, rivals),
        "pair": Plan(cells_of("pair", (m + 1,), BARRIERS, ("10ms", "30ms", "100ms")), 3, 1, rivals),
        "mpi": Plan(cells_of("mpi", (m + 1, 2 * m + 1), MPIS, ("10ms", "30ms", "100ms")), 3, 1,
                    rivals),
    }


def quick(m):
    rivals = ("kernel", "juggle")
    return {
        "matrix": Plan(cells_of("matrix", (m + 1,), BARRIERS, ("10ms", "30ms", "100ms")), 3, 1),
        "hogs": Plan(cells_of("hogs", (m, m + 1), ("yield",), ("30ms",)), 2, 2, rivals),
        "pair": Plan(cells_of("pair", (m + 1,), ("yield",), ("30ms",)), 2, 1.5, rivals),
        "mpi": Plan(cells_of("mpi", (m + 1,), MPIS, ("30ms",)), 2, 1.2, rivals),
    }


def spin(m):
    """Threads that spin at barriers, and a team as large as the machine beside a busy loop."""
    rivals = ("kernel", "juggle")
    return {
        "spin": Plan(cells_of("spin", (m + 1, 2 * m, 2 * m + 1), ("busy",),
                              ("50us", "200us", "1ms", "3ms", "10ms")), 3, 0.8, rivals),
        "beside": Plan(cells_of("beside", (m,), ("omp", "libomp"), ("50us", "1ms")), 3, 0.8, rivals),
    }


PROFILES = {"quick": quick, "full": full, "spin": spin}


def parse_filter(text):
    """'n=3/5,b=yield' -> {"n": {"3", "5"}, "b": {"yield"}}"""
    wanted = {}
    for part in text.split(","):
        key, _, values = part.partition("=")
        if key not in KEYS or not values:
            raise UsageError(f"--cells '{text}': '{part}' is not one of "
                             f"{', '.join(key + '=...' for key in KEYS)}")
        wanted[key] = set(values.split("/"))
        if key == "e":
            wanted[key] = {duration_text(duration_ns(value)) for value in wanted[key]}
    return wanted


def choose(profile, m, filters):
    """The profile's plans, or with filters all cells that match one, at the profile's effort."""
    plans = PROFILES[profile](m)
    if not filters:
        return plans
    everything = full(m) | spin(m)
    chosen = {}
    for scene, plan in plans.items():
        cells = tuple(cell for cell in everything[scene].cells
                      if any(cell.matches(wanted) for wanted in filters))
        if cells:
            chosen[scene] = Plan(cells, plan.rounds, plan.run_s)
    if not chosen:
        raise UsageError("--cells: no cell matches; `--list` shows them all")
    return chosen


@dataclass(frozen=True)
class Job:
    round: int
    cell: Cell
    launcher: str
    run_s: float


def jobs(plans, launchers):
    """Yields the jobs round by round. The launchers of a cell follow each other; each round begins
    with another one."""
    for turn in range(max(plan.rounds for plan in plans.values())):
        for plan in plans.values():
            if turn >= plan.rounds:
                continue
            chosen = [name for name in launchers
                      if not plan.launchers or name in plan.launchers or name not in
                      ("static", "kernel", "juggle")]
            first = turn % len(chosen) if chosen else 0
            for cell in plan.cells:
                if turn >= cell.rounds_max:
                    continue
                for launcher in chosen[first:] + chosen[:first]:
                    yield Job(turn, cell, launcher, cell.run_s(plan, launcher))
