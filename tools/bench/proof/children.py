# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command and ends it at its limit with all that it started: what forks into a session of its own, ignores SIGTERM, or is left
behind when the command has ended. For that this process adopts orphans (prctl), so that /proc tells whose they are."""

import ctypes
import os
import select
import signal
import subprocess
import time

PR_SET_CHILD_SUBREAPER = 36
GRACE_S = 1    # between SIGTERM and SIGKILL
BURY_S = 0.9   # for the kernel to end what was killed
LOOK_S = 0.01


def adopt():
    """Orphans of what this process starts become its children, not those of init."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def processes():
    """[(pid, parent, session)] of all"""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        found.append((int(name), int(fields[1]), int(fields[3])))
    return found


def descendants():
    """Of this process, but not of its session: whatever a command of `start` runs. Nobody can join a session that is there."""
    children, own, session = {}, [os.getpid()], os.getsid(0)
    for pid, parent, its_session in processes():
        children.setdefault(parent, []).append((pid, its_session))
    for pid in own:
        own += [child for child, _ in children.get(pid, [])]
    return {pid for parent in own for pid, its_session in children.get(parent, []) if its_session != session}


def signal_all(number):
    for pid in descendants():
        try:
            os.kill(pid, number)
        except OSError:
            pass  # it has ended meanwhile, or is another user's


def reap(pid, options=os.WNOHANG):
    """(status, processor seconds) of a child that has ended, else None."""
    try:
        ended, status, usage = os.wait4(pid, options)
    except ChildProcessError:
        return None
    return (os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime) if ended else None


def bury():
    """Kills what is left of a command, and waits for its end, but not for ever; processor seconds of what was adopted."""
    deadline, cpu_s = time.monotonic() + BURY_S, 0
    while left := descendants():
        signal_all(signal.SIGKILL)
        cpu_s += sum(ended[1] for ended in map(reap, left) if ended)
        if time.monotonic() > deadline:
            break  # they hang in the kernel
        time.sleep(LOOK_S)
    return cpu_s


def start(words, **more):
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True, **more)


def ends_within(child, limit_s):
    handle = os.pidfd_open(child.pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        return bool(poll.poll(max(0, limit_s) * 1e3))
    finally:
        os.close(handle)


def await_end(child, limit_s):
    """(status, processor seconds of it and of what was waited for, monotonic time of the end). Status None: it was ended at its limit."""
    in_time = False
    try:
        in_time = ends_within(child, limit_s)
    finally:
        if not in_time:
            signal_all(signal.SIGTERM)
            ends_within(child, GRACE_S)
        ended_s = time.monotonic()
        status, cpu_s = reap(child.pid) or (-signal.SIGKILL, 0)
        child.returncode = status  # nobody else is to wait for it
        cpu_s += bury()
    return status if in_time else None, cpu_s, ended_s


def outputs(commands, limit_s, **more):
    """What commands print that run beside each other. If one of them fails or takes longer, nothing of them is left."""
    running = [start(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more) for command in commands]
    try:
        printed = [child.communicate(timeout=limit_s)[0] for child in running]
    except BaseException:
        bury()
        for child in running:
            child.stdout.close()
            child.returncode = -signal.SIGKILL  # it has been waited for
        raise
    for child in running:
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, child.args)
    return printed
