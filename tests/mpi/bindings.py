# SPDX-License-Identifier: BSD-3-Clause
# The Python package in use, on any number of ranks. Usage: bindings.py LEDGER; rank 0 prints the result of each trial.
import array
import os
import resource
import sys
import time
import warnings

import juggle
from mpi4py import MPI


def square(x):
    return x * x


def rank_of(_):
    return MPI.COMM_WORLD.rank


def burn(x):
    return sum(i * i for i in range(2000)) * 0 + MPI.COMM_WORLD.rank


def raise_at(x):
    if x == 70:
        raise ValueError("item 70 is bad")
    return x


def raise_elsewhere(x):
    if MPI.COMM_WORLD.rank != 0:
        raise ValueError("elsewhere")


def raise_first(x):
    if x == 0:
        raise ValueError("the first")
    time.sleep(0.01)
    with open(sys.argv[1] + ".marks", "ab") as file:
        file.write(b".")


def marks():
    return os.path.getsize(sys.argv[1] + ".marks") if os.path.exists(sys.argv[1] + ".marks") else 0


def raise_odd(x):
    raise Odd("one", "two")


def leave(x):
    sys.exit(3)


def unsendable(x):
    return lambda: x


def twice(values):
    return array.array(values.typecode, [2 * value for value in values[:3]]), len(values)


def nested(x):
    return list(the_executor.map(square, [x]))


class Odd(Exception):
    """An exception that cannot be unpickled."""

    def __init__(self, one, two):
        super().__init__(one)


class Late:
    """An item that fails when it arrives."""

    def __reduce__(self):
        return (_arrive, (os.getpid(),))


def _arrive(pid):
    if pid != os.getpid():
        raise OSError("cannot be made here")
    return Late()


class Unsized:
    """Looks like an array and has no length, like an array of no dimension."""
    __array_interface__ = {}


def tell(what, call):
    try:
        print(f"{what}: {call()}")
    except BaseException as error:
        print(f"{what}: {type(error).__name__}: {str(error).splitlines()[0]}")
        if what == "elsewhere":
            print(f"{what}: in {str(error.__cause__).splitlines()[-2].strip()}")


def on_a_full_disk(call):
    """Calls it as if files could hold 64 bytes only; returns its result and the warnings."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = call()
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    return result, [str(warning.message) for warning in said]


def trials(e, ranks, ledger):
    def listed(*arguments, **options):
        return list(e.map(*arguments, **options))

    tell("squares", lambda: listed(square, range(1000)) == [x * x for x in range(1000)])
    tell("chunks", lambda: listed(square, (x for x in range(1000)), chunksize=7) == [x * x for x in range(1000)])
    tell("nothing", lambda: listed(square, []))
    tell("two iterables", lambda: listed(pow, [1, 2, 3], [2, 3, 4, 5]))
    tell("starmap", lambda: list(e.starmap(pow, [(2, 3), (3, 2)])))
    tell("all ranks work", lambda: len(set(listed(burn, range(1000)))) == ranks)
    tell("arrays", lambda: listed(twice, [array.array("d", [i] * 1000) for i in range(3)])[2])
    tell("an array of items", lambda: listed(square, array.array("d", range(2000)))[1999])
    tell("large", lambda: [a[0] for a in listed(bytearray, [bytearray(b"x" * 100000)] * 5)])
    tell("exception", lambda: listed(raise_at, range(200)))
    tell("first", lambda: listed(raise_first, range(500)))
    tell("not all are executed", lambda: marks() < 499)
    if ranks > 1:
        tell("elsewhere", lambda: listed(raise_elsewhere, range(1000)))
    tell("odd exception", lambda: listed(raise_odd, [1]))
    tell("exit", lambda: listed(leave, [1]))
    tell("after", lambda: sum(listed(square, range(10))))
    tell("lambda", lambda: listed(lambda x: x, [1]))
    tell("unsendable", lambda: len(listed(unsendable, range(40 * ranks))) if ranks > 1 else "a result")
    tell("late item", lambda: listed(str, [Late()])[0][:1] if ranks > 1 else "cannot be made here")
    tell("nested", lambda: listed(nested, [1]))
    tell("chunksize", lambda: listed(square, [1], chunksize=0))
    for wrong in (1.5, "7", None):
        tell("wrong chunksize", lambda: listed(square, [1], chunksize=wrong))
    tell("no length", lambda: listed(square, Unsized()))
    tell("zero byte", lambda: listed(square, [1], ledger=ledger + "\0x"))
    tell("zero byte in a checkpoint", lambda: listed(square, [1], checkpoint="x\0y") and None)
    tell("path of bytes", lambda: listed(square, [3], checkpoint=os.fsencode(ledger) + b".checkpoint"))
    tell("after mistakes", lambda: sum(listed(square, range(10))))
    tell("key", lambda: listed(square, [1], key=square))
    for _ in range(2):
        tell("ledger", lambda: sum(listed(square, range(100), ledger=ledger, key=square)))
    tell("ledger in no folder", lambda: listed(raise_first, range(100), ledger="/proc/nonexistent/ledger"))
    tell("full disk", lambda: on_a_full_disk(lambda: sum(listed(square, range(100), ledger=ledger + ".full"))))
    with open(ledger, "w") as file:
        file.write("no ledger")
    tell("no ledger", lambda: listed(square, range(100), ledger=ledger))
    os.unlink(ledger)
    tell("a new ledger", lambda: listed(square, range(5), ledger=ledger))


def main():
    global the_executor
    ranks = MPI.COMM_WORLD.size
    the_executor = juggle.Executor()
    with the_executor as e:
        if e:
            trials(e, ranks, sys.argv[1])
    if MPI.COMM_WORLD.rank == 0:
        tell("after the block", lambda: e.map(square, [1]))
        tell("before the block", lambda: None if ranks > 1 else juggle.Executor().map(square, [1]))
    # Again, with half of the ranks, and with settings.
    half = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2)
    with juggle.Executor(half, settings="victim=round-robin") as e:
        if e:
            assert list(e.map(square, range(100))) == [x * x for x in range(100)]
            assert e.failed is False
    try:
        juggle.Executor(settings="lifeline=1")
    except juggle.Error as error:
        if MPI.COMM_WORLD.rank == 0:
            print(f"settings: {error}")
    # An exception in the block lets the other ranks go on.
    try:
        with juggle.Executor() as e:
            if e:
                raise KeyError("of rank 0")
    except KeyError as error:
        print(f"block: {error}")


if __name__ == "__main__":
    main()
