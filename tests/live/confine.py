#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command under the restrictions of a systemd unit, as far as one process can apply them to itself:
confine.py UNIT COMMAND...
Or without some system calls, which fail with EPERM or with the given error:
confine.py --without CALL,CALL:ERROR COMMAND...
The filter of system calls is the one that systemd makes of SystemCallFilter, RestrictAddressFamilies,
MemoryDenyWriteExecute, RestrictNamespaces and RestrictSUIDSGID. setpriv(1) has to set the capabilities before.
"""

import ctypes
import errno
import os
import platform
import re
import socket
import struct
import subprocess
import sys

# Values from linux/audit.h, by the machine of uname -m.
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# Values from linux/filter.h and linux/seccomp.h.
LOAD, JUMP_EQUAL, JUMP_ANY_BIT, AND, RETURN = 0x20, 0x15, 0x45, 0x54, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
ALLOW, FAIL, KILL = 0x7FFF0000, 0x00050000, 0x80000000
PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
PROT_WRITE, PROT_EXEC = 2, 4


class Unit:
    """The settings of a unit file: each name with the values of all its lines."""

    def __init__(self, path):
        self.settings = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, equals, value = line.strip().partition("=")
                if equals and not name.startswith("#"):
                    self.settings.setdefault(name, []).append(value)

    def words(self, name):
        return [word for value in self.settings[name] for word in value.split()]

    def is_on(self, name):
        return self.settings.get(name) == ["yes"]


def sets():
    """Returns systemd's sets of system calls, as systemd lists them: names of calls and of other sets."""
    listing = subprocess.run(["systemd-analyze", "--no-pager", "syscall-filter"], check=True, capture_output=True,
                             text=True).stdout
    found, name = {}, None
    for line in listing.splitlines():
        word = line.strip()
        if word.startswith("@") and not line.startswith(" "):
            name = word
            found[name] = []
        elif name and word and not word.startswith("#"):
            found[name].append(word)
    return found


def members(known_sets, name):
    """Returns the system calls that a name stands for, which may be the name of a set."""
    if not name.startswith("@"):
        return {name}
    return {call for each in known_sets[name] for call in members(known_sets, each)}


def numbers():
    """Returns the numbers of this architecture's system calls, by name."""
    compiler = os.environ.get("CC", "cc").split()
    macros = subprocess.run([*compiler, "-E", "-dM", "-include", "sys/syscall.h", "-"], check=True, capture_output=True,
                            text=True, stdin=subprocess.DEVNULL).stdout
    return {name: int(number) for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", macros, re.M)}


def allowed(unit):
    known_sets = sets()
    calls = members(known_sets, "@default")
    for value in unit.settings["SystemCallFilter"]:
        named = {call for word in value.lstrip("~").split() for call in members(known_sets, word)}
        calls = calls - named if value.startswith("~") else calls | named
    return calls


def op(code, value, then=0, otherwise=0):
    return struct.pack("HBBI", code, then, otherwise, value)


def argument(index):
    return op(LOAD, ARGUMENTS + 8 * index)


def fail(error):
    return op(RETURN, FAIL | error)


def on_call(number, *body):
    """Executes the body for this call only. The number of the call is loaded before and after it."""
    return [op(JUMP_EQUAL, number, 0, len(body) + 1), *body, op(LOAD, NUMBER)]


def restrictions(unit, known):
    ops = []
    if unit.is_on("RestrictNamespaces"):
        ops += on_call(known["clone3"], fail(errno.ENOSYS))
    if unit.is_on("RestrictSUIDSGID"):
        ops += on_call(known["openat2"], fail(errno.ENOSYS))
    if "RestrictAddressFamilies" in unit.settings:
        families = [getattr(socket, name) for name in unit.words("RestrictAddressFamilies")]
        tests = [op(JUMP_EQUAL, family, len(families) - i, 0) for i, family in enumerate(families)]
        ops += on_call(known["socket"], argument(0), *tests, fail(errno.EAFNOSUPPORT))
    if unit.is_on("MemoryDenyWriteExecute"):
        both = PROT_WRITE | PROT_EXEC
        ops += on_call(known["mmap"], argument(2), op(AND, both), op(JUMP_EQUAL, both, 0, 1), fail(errno.EPERM))
        for name in ("mprotect", "pkey_mprotect"):
            ops += on_call(known[name], argument(2), op(JUMP_ANY_BIT, PROT_EXEC, 0, 1), fail(errno.EPERM))
    return ops


def beginning():
    return [op(LOAD, ARCHITECTURE), op(JUMP_EQUAL, ARCHITECTURES[platform.machine()], 1, 0), op(RETURN, KILL), op(LOAD, NUMBER)]


def without(names):
    """Allows all calls but these, some of which this architecture may not have."""
    known = numbers()
    ops = beginning()
    for name in names:
        call, _, error = name.partition(":")
        ops += on_call(known[call], fail(getattr(errno, error or "EPERM"))) if call in known else []
    return [*ops, op(RETURN, ALLOW)]


def program(unit):
    known = numbers()
    ops = beginning() + restrictions(unit, known)
    for number in sorted(known[name] for name in allowed(unit) if name in known):
        ops += [op(JUMP_EQUAL, number, 0, 1), op(RETURN, ALLOW)]
    error, = unit.settings["SystemCallErrorNumber"]
    return ops + [fail(getattr(errno, error))]


def apply(ops):
    code = ctypes.create_string_buffer(b"".join(ops))
    header = ctypes.create_string_buffer(struct.pack("HP", len(ops), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), "the filter is refused")


def main():
    if sys.argv[1] == "--without":
        ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        apply(without(sys.argv[2].split(",")))
        os.execvp(sys.argv[3], sys.argv[3:])
    apply(program(Unit(sys.argv[1])))
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
