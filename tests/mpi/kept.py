# SPDX-License-Identifier: BSD-3-Clause
# A map that goes on in another run. Usage: kept.py CHECKPOINT MARKS WHAT; each call leaves a mark. WHAT ends it: `limit`,
# `stop` (by a call), `signal` (SIGTERM, in a call), `kill` (of a rank, in a call), `fail` (a call) or nothing.
import os
import random
import signal
import sys
import time

import juggle

CALLS = 120
CHECKPOINT, MARKS, WHAT = sys.argv[1:]
random.seed()


def strikes(x):
    """True at random, and certainly once: at the first of two calls, which is never the last call of all."""
    if x % 60 == 30:
        try:
            os.close(os.open(f"{MARKS}.{WHAT}", os.O_CREAT | os.O_EXCL))
            return True
        except FileExistsError:
            pass
    return random.random() < 0.05


def work(x):
    time.sleep(0.002)
    if WHAT == "kill" and strikes(x):
        os.kill(os.getpid(), signal.SIGKILL)
    if WHAT == "stop" and strikes(x):
        the_executor.stop()
    if WHAT == "signal" and strikes(x):
        os.kill(os.getpid(), signal.SIGTERM)
    if WHAT == "fail" and x == 60:
        raise ValueError("item 60 is bad")
    with open(MARKS, "a") as file:
        file.write(f"{x}\n")
    return (x, bytes([x]) * 200000) if x % 40 == 0 else (x, None)


def other(x):
    return x


# A checkpoint holds the part of its name that fits, cut within a letter.
other.__qualname__ = "\u00e9" * 120
globals()[other.__qualname__] = other


def tell(call):
    try:
        print(call())
    except BaseException as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


def sums(e):
    results = list(e.map(work, range(CALLS), checkpoint=CHECKPOINT, every=0.02, limit=0.04 if WHAT == "limit" else None))
    return sum(x for x, _ in results), sum(len(large) for _, large in results if large), results == sorted(results)


def mistakes(e):
    tell(lambda: e.map(other, range(CALLS), checkpoint=CHECKPOINT))
    tell(lambda: e.map(work, range(CALLS), checkpoint=CHECKPOINT, ledger="x"))
    tell(lambda: e.map(work, range(CALLS), limit=3))
    tell(lambda: e.map(work, range(CALLS), checkpoint="/proc/nonexistent/file"))
    tell(lambda: e.map(work, range(CALLS), checkpoint=CHECKPOINT, every=-1))
    os.truncate(CHECKPOINT + ".results", 1000)
    tell(lambda: e.map(work, range(CALLS), checkpoint=CHECKPOINT))
    os.truncate(CHECKPOINT, 100)
    tell(lambda: e.map(work, range(CALLS), checkpoint=CHECKPOINT))
    tell(lambda: list(e.map(other, range(3))))


# Other ranks serve as soon as they enter the block, so everything that calls and handlers use must exist before.
the_executor = juggle.Executor()
signal.signal(signal.SIGTERM, lambda *_: the_executor.stop())
with the_executor as e:
    if e:
        mistakes(e) if WHAT == "mistakes" else tell(lambda: sums(e))
