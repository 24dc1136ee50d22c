/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands before the functions by which a thread blocks signals: the kernel ends a program one of
 * whose threads comes to a trap with SIGTRAP blocked. So once the handler of SIGTRAP is in place,
 * who blocks that signal only seems to, and blocks STAND_IN instead. The kernel keeps that as it
 * keeps all masks: threads, children and programs that are executed begin with it, handlers and
 * jumps out of them leave it as they should.
 *
 * A SIGTRAP of the program's own that such a thread is handed is sent again, and blocked in truth
 * from then on: it waits for whoever takes it, as it would have, and there are no traps any more.
 */
#include "libjuggle/preload/blocking.h"

#if defined(__x86_64__)

#include "libjuggle/preload/actions.h"
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/traps.h"

#include <errno.h>
#include <pthread.h>
#include <ucontext.h>

#define EXPORT __attribute__((visibility("default")))

typedef int mask_function(int how, const sigset_t *set, sigset_t *before);

/* Until no thread can come to a trap; never in a child of vfork(). */
static bool is_hidden(void)
{
    return action_is_taken(SIGTRAP) && !traps_have_ended();
}

static void stand_in(sigset_t *mask)
{
    if (sigismember(mask, SIGTRAP) > 0)
        sigaddset(mask, STAND_IN);
    else
        sigdelset(mask, STAND_IN);
}

void blocking_hide(sigset_t *mask)
{
    stand_in(mask);
    if (is_hidden())
        sigdelset(mask, SIGTRAP);
}

void blocking_show(sigset_t *mask)
{
    if (sigismember(mask, STAND_IN) > 0)
        sigaddset(mask, SIGTRAP);
    sigdelset(mask, STAND_IN);
}

/* The two masks may be one. */
static int mask_change(mask_function *next, int how, const sigset_t *set, sigset_t *before)
{
    sigset_t asked;

    if (set) {
        asked = *set;
        if (how == SIG_UNBLOCK)
            stand_in(&asked);
        else
            blocking_hide(&asked);
    }
    const int error = next(how, set ? &asked : NULL, before);
    if (!error && before)
        blocking_show(before);
    return error;
}

/* glibc keeps two signals for itself, which it takes out of what is asked for. */
EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    static next_t known;
    mask_function *next = next_find(&known, "pthread_sigmask", "/libc.");

    return next ? mask_change(next, how, set, before) : ENOSYS;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    static next_t known;
    mask_function *next = next_find(&known, "sigprocmask", "/libc.");

    if (next)
        return mask_change(next, how, set, before);
    errno = ENOSYS;
    return -1;
}

/* For threads that are yet to be created. */
EXPORT int pthread_attr_setsigmask_np(pthread_attr_t *attributes, const sigset_t *set)
{
    static next_t known;
    int (*next)(pthread_attr_t *,
                const sigset_t *) = next_find(&known, "pthread_attr_setsigmask_np", "/libc.");
    sigset_t asked;

    if (set) {
        asked = *set;
        blocking_hide(&asked);
    }
    return next ? next(attributes, set ? &asked : NULL) : ENOSYS;
}

void blocking_begin(void)
{
    sigset_t now;

    if (!pthread_sigmask(SIG_BLOCK, NULL, &now))
        (void)sigprocmask(SIG_SETMASK, &now, NULL);
}

/* The mask that the signal has found, be it one of sigsuspend(): that of the handler has no more.
 */
static bool is_kept(void)
{
    sigset_t now = {0};

    return !kernel_mask(SIG_BLOCK, NULL, &now) && sigismember(&now, STAND_IN) > 0;
}

/* The first thread alone may send on what looks as if by kill(). */
static void send_again(siginfo_t *info)
{
    if (info->si_code == SI_TKILL) {
        syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGTRAP, info);
    } else if (syscall(SYS_rt_sigqueueinfo, getpid(), SIGTRAP, info)) {
        info->si_code = SI_QUEUE;
        syscall(SYS_rt_sigqueueinfo, getpid(), SIGTRAP, info);
    }
}

bool blocking_keeps(siginfo_t *info, void *context)
{
    if (!is_kept())
        return false;
    traps_end();
    kernel_mask_one(SIG_BLOCK, SIGTRAP, NULL);
    sigaddset(&((ucontext_t *)context)->uc_sigmask, SIGTRAP);
    send_again(info);
    return true;
}

#endif
