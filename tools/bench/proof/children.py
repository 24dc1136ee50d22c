# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command, and ends it at its time limit with all processes that it started, even if they are in sessions of their own, ignore SIGTERM,
or remain when the command has ended. This process adopts orphans (prctl), so that /proc shows to which command they belong."""

import ctypes
import os
import select
import signal
import subprocess
import time

PR_SET_CHILD_SUBREAPER = 36
GRACE_S = 1    # between SIGTERM and SIGKILL
BURY_S = 0.9   # for the kernel to end killed processes
LOOK_S = 0.01


def adopt():
    """Makes orphaned descendants of this process its children, instead of children of init."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def processes():
    """Returns [(pid, parent, session)] of all processes."""
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
    """Returns the descendants of this process outside of its session: the processes of commands of start(). No process can join an existing session."""
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
            pass  # it has ended meanwhile, or belongs to another user


def reap(pid, options=os.WNOHANG):
    """Returns (status, processor seconds) of a child that has ended, else None."""
    try:
        ended, status, usage = os.wait4(pid, options)
    except ChildProcessError:
        return None
    return (os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime) if ended else None


def bury():
    """Kills the remaining processes of a command, and waits at most BURY_S for their end. Returns the processor seconds of those that were adopted."""
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
    """Waits for the end of a child. Returns (status, processor seconds of it and of all processes waited for, monotonic time of the end). The status is
    None if it was ended at its limit."""
    in_time = False
    try:
        in_time = ends_within(child, limit_s)
    finally:
        if not in_time:
            signal_all(signal.SIGTERM)
            ends_within(child, GRACE_S)
        ended_s = time.monotonic()
        status, cpu_s = reap(child.pid) or (-signal.SIGKILL, 0)
        child.returncode = status  # so that subprocess does not wait for it again
        cpu_s += bury()
    return status if in_time else None, cpu_s, ended_s


def outputs(commands, limit_s, **more):
    """Runs commands at the same time and returns their outputs. Raises an exception if one fails or takes longer than the limit; no process remains."""
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
