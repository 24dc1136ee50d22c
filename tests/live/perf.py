# SPDX-License-Identifier: BSD-3-Clause
"""Whether threads can be sampled here."""

import ctypes
import os
import platform
import struct

# perf_event_open(2), and of its attributes the software clock, in user mode.
PERF_EVENT_OPEN = {"x86_64": 298, "i686": 336}
USER_CLOCK = struct.pack("=IIQQQQQ", 1, 112, 0, 0, 0, 0, 1 << 5 | 1 << 6).ljust(112, b"\0")


def perf_is_allowed():
    """It is tried: root may lack what it needs, as in a container."""
    number = PERF_EVENT_OPEN.get(platform.machine())
    if number is None:
        return False
    fd = ctypes.CDLL(None).syscall(number, USER_CLOCK, 0, -1, -1, 0)
    if fd < 0:
        return False
    os.close(fd)
    return True
