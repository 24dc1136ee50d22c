/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands before the functions by which a thread blocks signals: the kernel ends a program one of
 * whose threads comes to a trap with SIGTRAP blocked. So once the handler of SIGTRAP is in place,
 * who blocks that signal only seems to.
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

static __thread __attribute__((tls_model("initial-exec"))) bool keeps;

typedef int mask_function(int how, const sigset_t *set, sigset_t *before);

static bool keeps_after(int how, const sigset_t *set)
{
    if (how == SIG_SETMASK)
        return sigismember(set, SIGTRAP);
    return sigismember(set, SIGTRAP) ? how == SIG_BLOCK : keeps;
}

static int mask_change(mask_function *next, int how, const sigset_t *set, sigset_t *before)
{
    const bool kept = keeps;
    bool keeps_then = keeps;
    sigset_t asked;

    if (set && !action_is_taken(SIGTRAP)) {
        keeps_then = kept && keeps_after(how, set);
    } else if (set) {
        keeps_then = keeps_after(how, set);
        asked = *set;
        if (how != SIG_UNBLOCK)
            sigdelset(&asked, SIGTRAP);
        set = &asked;
    }
    const int error = next(how, set, before);
    if (error)
        return error;
    if (before && kept)
        sigaddset(before, SIGTRAP);
    keeps = keeps_then;
    return 0;
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

    if (set && action_is_taken(SIGTRAP)) {
        asked = *set;
        sigdelset(&asked, SIGTRAP);
        set = &asked;
    }
    return next ? next(attributes, set) : ENOSYS;
}

void blocking_begin(void)
{
    (void)pthread_sigmask(SIG_BLOCK, NULL, NULL);
    (void)sigprocmask(SIG_BLOCK, NULL, NULL);
}

void blocking_adopt(void)
{
    sigset_t before;

    keeps = !kernel_mask_one(SIG_UNBLOCK, SIGTRAP, &before) && sigismember(&before, SIGTRAP) > 0;
}

bool blocking_keeps(siginfo_t *info, void *context)
{
    if (!keeps)
        return false;
    traps_end();
    kernel_mask_one(SIG_BLOCK, SIGTRAP, NULL);
    sigaddset(&((ucontext_t *)context)->uc_sigmask, SIGTRAP);
    if (info->si_code == SI_TKILL)
        syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGTRAP, info);
    else
        syscall(SYS_rt_sigqueueinfo, getpid(), SIGTRAP, info);
    return true;
}

#endif
