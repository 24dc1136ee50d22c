/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposes the functions of older systems that set handlers and masks of signals. Those of the C
 * library reach the kernel without calling the functions of actions.c and blocking.c; the ones here
 * call them.
 */
#include "libjuggle/preload/next.h"

#include <signal.h>
#include <stdbool.h>

#if defined(__x86_64__)

enum { SIGNALS_OF_INT = 31 };

typedef void (*handler_t)(int);

/* No header declares these. */
EXPORT int __sigaction(int signal, const struct sigaction *action, struct sigaction *before);
EXPORT handler_t bsd_signal(int number, handler_t handler);

EXPORT int __sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    return sigaction(signal, action, before);
}

EXPORT handler_t bsd_signal(int number, handler_t handler)
{
    return signal(number, handler);
}

EXPORT handler_t ssignal(int number, handler_t handler)
{
    return signal(number, handler);
}

EXPORT handler_t sysv_signal(int number, handler_t handler)
{
    return __sysv_signal(number, handler);
}

EXPORT int sigignore(int number)
{
    const struct sigaction action = {.sa_handler = SIG_IGN};

    return sigaction(number, &action, NULL);
}

/* ---- masks of one signal ---- */

/* Returns whether the signal was blocked before, or -1. */
static int mask_one(int how, int number)
{
    sigset_t set = {0}, before;

    if (sigaddset(&set, number) || sigprocmask(how, &set, &before))
        return -1;
    return sigismember(&before, number);
}

EXPORT int sighold(int number)
{
    return mask_one(SIG_BLOCK, number) < 0 ? -1 : 0;
}

EXPORT int sigrelse(int number)
{
    return mask_one(SIG_UNBLOCK, number) < 0 ? -1 : 0;
}

EXPORT handler_t sigset(int number, handler_t handler)
{
    const bool holds = handler == SIG_HOLD;
    const struct sigaction action = {.sa_handler = handler};
    struct sigaction before;

    if (sigaction(number, holds ? NULL : &action, &before))
        return SIG_ERR;
    switch (mask_one(holds ? SIG_BLOCK : SIG_UNBLOCK, number)) {
    case 0:
        return before.sa_handler;
    case 1:
        return SIG_HOLD;
    default:
        return SIG_ERR;
    }
}

/* ---- masks of all that fit in an int ---- */

static int masks(int how, int mask)
{
    sigset_t set = {0}, set_before;
    unsigned before = 0;

    for (int i = 1; i <= SIGNALS_OF_INT; i++)
        if ((unsigned)mask >> (i - 1) & 1)
            sigaddset(&set, i);
    if (sigprocmask(how, &set, &set_before))
        return -1;
    for (int i = 1; i <= SIGNALS_OF_INT; i++)
        before |= (unsigned)sigismember(&set_before, i) << (i - 1);
    return (int)before;
}

EXPORT int sigblock(int mask)
{
    return masks(SIG_BLOCK, mask);
}

EXPORT int sigsetmask(int mask)
{
    return masks(SIG_SETMASK, mask);
}

#endif
