/* SPDX-License-Identifier: BSD-3-Clause */
/* Which signals a thread blocks, in a program with traps. As far as the kernel knows, SIGTRAP never
 * is among them. */
#ifndef JUGGLE_PRELOAD_BLOCKING_H
#define JUGGLE_PRELOAD_BLOCKING_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Reads and sets the mask in the kernel, by a call that nothing interposes. */
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

/* Is blocked when the program blocks SIGTRAP: a signal that the kernel does not use on x86. */
enum { STAND_IN = SIGSTKFLT };

/* blocking_hide turns a mask of the program into the one that the kernel gets; blocking_show turns
 * it back. */
void blocking_hide(sigset_t *mask);
void blocking_show(sigset_t *mask);

/* Call this when the handler of SIGTRAP is in place, or cannot be: converts the mask that this
 * thread was born with. Also finds the functions that handlers must not search for. */
void blocking_begin(void);

/* Called by the handler of SIGTRAP with a signal that is not of a trap. True if the thread blocks
 * SIGTRAP, as far as the program knows: the signal is pending from now on, and SIGTRAP is
 * blocked. */
bool blocking_keeps(siginfo_t *info, void *context);

#endif
