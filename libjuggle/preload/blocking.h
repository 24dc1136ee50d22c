/* SPDX-License-Identifier: BSD-3-Clause */
/* Which signals a thread blocks, in a program that traps are set into: that of traps never, as far
 * as the kernel knows. */
#ifndef JUGGLE_PRELOAD_BLOCKING_H
#define JUGGLE_PRELOAD_BLOCKING_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the kernel knows: nobody stands before this one. */
static inline long kernel_mask(int how, const sigset_t *set, sigset_t *before)
{
    return syscall(SYS_rt_sigprocmask, how, set, before, sizeof(uint64_t));
}

static inline long kernel_mask_one(int how, int signal, sigset_t *before)
{
    sigset_t set = {0};

    sigaddset(&set, signal);
    return kernel_mask(how, &set, before);
}

/* What is blocked where the program blocks SIGTRAP: a signal that x86's kernel has no use for. */
enum { STAND_IN = SIGSTKFLT };

/* Makes what the program wants blocked what the kernel is told of it; and back. */
void blocking_hide(sigset_t *mask);
void blocking_show(sigset_t *mask);

/* When the handler of SIGTRAP is in place, or cannot be: of what this thread was born with. Also
 * finds what handlers must not search. */
void blocking_begin(void);

/* For the handler of SIGTRAP, with one that is not of a trap. True if the thread blocks it, as far
 * as the program knows: it is pending from now on, and blocked. */
bool blocking_keeps(siginfo_t *info, void *context);

#endif
