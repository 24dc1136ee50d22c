/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposes the functions by which a thread blocks signals, because the kernel kills a program if
 * one of its threads comes to a trap with SIGTRAP blocked. Once our handler of SIGTRAP is in place,
 * a thread that asks to block SIGTRAP blocks STAND_IN instead. The kernel keeps this as it keeps
 * all masks: new threads, children and programs that are executed inherit it, and it is restored
 * when a handler returns or jumps out.
 *
 * If such a thread gets a SIGTRAP of the program's own, the signal is sent again and SIGTRAP is
 * really blocked from then on. The signal stays pending until the program takes it, as it would
 * have without us. There are no traps any more then.
 */
#include "libjuggle/preload/blocking.h"

#if defined(__x86_64__)

#include "libjuggle/preload/actions.h"
#include "libjuggle/preload/calls.h"
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/traps.h"

#include <errno.h>
#include <pthread.h>
#include <ucontext.h>

typedef int mask_function(int how, const sigset_t *set, sigset_t *before);

/* True while threads may come to traps; never true in a child of vfork(). */
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

/* `set` and `before` may be the same mask. */
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

/* Calls glibc's function, because glibc keeps two signals for itself and takes them out of the
 * mask. */
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

/* Sets the mask of threads that are yet to be created. */
EXPORT int pthread_attr_setsigmask_np(pthread_attr_t *attributes, const sigset_t *set)
{
    static next_t known;
    __typeof__(&pthread_attr_setsigmask_np) next = next_find(&known, "pthread_attr_setsigmask_np",
                                                             "/libc.");
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

/* True if the thread blocked STAND_IN when the signal came, be it by sigsuspend(): the mask of our
 * handler does not hold it. */
static bool is_kept(void)
{
    sigset_t now = {0};

    return !kernel_mask(SIG_BLOCK, NULL, &now) && sigismember(&now, STAND_IN) > 0;
}

/* Only the main thread may send a signal on that looks as if kill() had sent it; other threads send
 * it as by sigqueue(). */
static void send_again(siginfo_t *info)
{
    if (info->si_code == SI_TKILL) {
        syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGTRAP, info);
    } else if (syscall(SYS_rt_sigqueueinfo, getpid(), SIGTRAP, info)) {
        info->si_code = SI_QUEUE;
        syscall(SYS_rt_sigqueueinfo, getpid(), SIGTRAP, info);
    }
}

/* The call that was interrupted would not have been without us. If that was a bare system call that
 * waits with another mask, which blocks STAND_IN but not SIGTRAP, then the signal comes again in
 * the same wait. This time the kernel blocks SIGTRAP outside of the wait, so the program has opened
 * it there. */
bool blocking_keeps(siginfo_t *info, void *context)
{
    sigset_t *mask = &((ucontext_t *)context)->uc_sigmask;

    if (sigismember(mask, SIGTRAP) > 0 || !is_kept())
        return false;
    traps_end();
    kernel_mask_one(SIG_BLOCK, SIGTRAP, NULL);
    sigaddset(mask, SIGTRAP);
    call_begin_again(context);
    send_again(info);
    return true;
}

#endif
