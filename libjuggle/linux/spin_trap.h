/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Catches threads that spin, by a breakpoint of the processor on an instruction of their loop.
 *
 * A thread that is about to execute the instruction gets a signal, which libjuggle/preload/spin.c
 * handles; threads that are elsewhere pay nothing. Breakpoints need no privilege for threads of
 * one's own up to kernel.perf_event_paranoid 2, and end with the descriptor, so with whoever has
 * set them.
 */
#ifndef JUGGLE_LINUX_SPIN_TRAP_H
#define JUGGLE_LINUX_SPIN_TRAP_H

#include "libjuggle/ground/units.h"
#include "libjuggle/linux/thread_id.h"

#include <stdbool.h>

enum spin_signal {
    /* The kernel ignores it where nobody handles it. Comes by way of an interrupt to the processor
     * itself: with the breakpoint 22 us on a virtual machine where breakpoints take 9. */
    SPIN_SIGURG,
    /* Comes at once (12 us), and ends a process that does not handle it. Catches the threads that
     * the thread creates, too, and those that these create. Linux 5.18 and later: a thread that
     * blocks it gets it later, and lives. */
    SPIN_SIGTRAP,
    SPIN_SIGNALS_COUNT,
};

/* Until `fd` is closed. -ENOSPC: the processor has no more breakpoints; -EACCES, -EPERM: they are
 * refused; -ENOTSUP: there are none; -ESRCH, -EMFILE. */
int spin_trap_open(const struct thread_id *id, uint64_t address, enum spin_signal signal,
                   int *fd) MUST_CHECK;

/* Whether this kernel has the signal, the thread handles it and does not block it, and nobody
 * debugs the thread. */
bool spin_trap_is_heard(int proc_fd, const struct thread_id *id, enum spin_signal signal);
bool spin_trap_is_debugged(int proc_fd, const struct thread_id *id);

#endif
