/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposes the functions by which a program sets what it does on a signal. A program that sets a
 * handler of SIGURG or SIGTRAP would get signals that it does not know, and the next trap would
 * kill a program that goes back to the default. So our handler stays in place. The action that the
 * program sets is kept here, the program reads it back, and it is done on all signals that are not
 * of a trap. No handler of any signal blocks SIGTRAP, because the kernel kills a program that comes
 * to a trap with that signal blocked.
 *
 * Interleaving. `lock` guards `taken` and `own`. A thread that holds it blocks all signals, so that
 * no handler of the same thread waits for it. A child of fork() begins with it free. A child of
 * vfork() shares this memory but not the handlers; it has another process id, and its calls are
 * passed on to the kernel.
 *
 * A handler adds to `inside_count` before it reads `hands_off`; the thread that sets `hands_off`
 * reads the count afterwards. So no handler is at work when the count is zero.
 *
 * The parts, in this order:
 * - the next function: the one that is interposed
 * - the lock
 * - for the handlers: to be put in place, to pass signals on
 * - for the program: to set actions, which are kept and read back
 */
#include "libjuggle/preload/actions.h"

#if defined(__x86_64__)

#include "libjuggle/ground/units.h"
#include "libjuggle/preload/blocking.h"
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/pause.h"
#include "libjuggle/preload/samplers.h"
#include "libjuggle/preload/traps.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Handlers run on the stack that a thread has for signals, if any: the stacks of other languages
 * may be small. */
enum { FLAGS = SA_SIGINFO | SA_ONSTACK, FLAGS_KEPT = SA_RESTART | SA_NODEFER };

enum { LOOKS_MAX = 2000 };
#define LOOK_INTERVAL_NS (50 * NSEC_PER_USEC)
#define RETURN_NS        (20 * NSEC_PER_MSEC)

static struct {
    _Atomic pid_t pid;
    atomic_flag lock;
    struct kept {
        _Atomic(action_handler) taken; /* NULL: the program's own is in place */
        struct sigaction own;
    } urgent, trap;
} actions = {.lock = ATOMIC_FLAG_INIT};

/* The function that pthread_atfork calls. Some C libraries lack it; their programs are left
 * alone. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *object) __attribute__((weak));

static _Atomic bool hands_off;
static _Atomic int inside_count; /* handlers at work */

/* ---- the next function ---- */

static int next_sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    static next_t known;
    __typeof__(&sigaction) next = next_find(&known, "sigaction", "/libc.");

    if (next)
        return next(signal, action, before);
    errno = ENOSYS;
    return -1;
}

/* ---- the lock ---- */

static void actions_lock(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    kernel_mask(SIG_SETMASK, &all, before);
    while (atomic_flag_test_and_set_explicit(&actions.lock, memory_order_acquire))
        syscall(SYS_sched_yield);
}

static void actions_unlock(const sigset_t *before)
{
    atomic_flag_clear_explicit(&actions.lock, memory_order_release);
    kernel_mask(SIG_SETMASK, before, NULL);
}

static void begin_child(void)
{
    atomic_flag_clear(&actions.lock);
    traps_begin_child();
    samplers_begin_child();
    atomic_store(&inside_count, 0);
    atomic_store(&actions.pid, getpid());
}

void actions_begin(void)
{
    atomic_store(&actions.pid, getpid());
    if (__register_atfork)
        __register_atfork(NULL, NULL, begin_child, NULL);
    /* Finds the next function, because handlers must not search for it. */
    (void)next_sigaction(SIGTRAP, NULL, &actions.trap.own);
}

static struct kept *kept_of(int signal)
{
    return signal == SIGURG ? &actions.urgent : signal == SIGTRAP ? &actions.trap : NULL;
}

/* ---- for the handlers ---- */

static int handler_set(int signal, action_handler handler, const struct sigaction *own)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_mask = own->sa_mask};
    const bool interrupts = own->sa_handler != SIG_DFL && own->sa_handler != SIG_IGN;

    action.sa_flags = FLAGS | (interrupts ? own->sa_flags & FLAGS_KEPT : SA_RESTART);
    sigdelset(&action.sa_mask, SIGTRAP);
    sigdelset(&action.sa_mask, STAND_IN);
    /* A handler of the program may interrupt this one, and come to a trap. */
    if (signal == SIGTRAP)
        action.sa_flags |= SA_NODEFER;
    return next_sigaction(signal, &action, NULL);
}

bool action_take(int signal, action_handler handler)
{
    struct kept *kept = kept_of(signal);
    struct sigaction present;
    sigset_t before;

    if (!kept || atomic_load(&hands_off) || atomic_load(&actions.pid) != getpid())
        return false;
    actions_lock(&before);
    const bool known = !next_sigaction(signal, NULL, &present);
    if (known && !kept->taken && present.sa_handler == SIG_DFL &&
        !handler_set(signal, handler, &present)) {
        kept->own = present;
        kept->taken = present.sa_sigaction = handler;
    }
    actions_unlock(&before);
    return known && present.sa_sigaction == handler;
}

bool action_is_taken(int signal)
{
    const struct kept *kept = kept_of(signal);

    return kept && atomic_load(&kept->taken) && atomic_load(&actions.pid) == getpid();
}

static void end_by(int signal)
{
    (void)next_sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    (void)raise(signal);
}

void action_pass_on(int signal, siginfo_t *info, void *context)
{
    struct kept *kept = kept_of(signal);
    struct sigaction own;
    sigset_t before;

    actions_lock(&before);
    own = kept->own;
    if (own.sa_flags & (int)SA_RESETHAND)
        kept->own.sa_handler = SIG_DFL;
    actions_unlock(&before);
    if (own.sa_handler == SIG_DFL && signal == SIGTRAP)
        end_by(signal);
    if (own.sa_handler == SIG_DFL || own.sa_handler == SIG_IGN)
        return;
    /* Our handler blocks neither SIGTRAP nor STAND_IN. The kernel takes this block back when our
     * handler ends. */
    if (signal == SIGTRAP && !(own.sa_flags & SA_NODEFER))
        kernel_mask_one(SIG_BLOCK, STAND_IN, NULL);
    if (own.sa_flags & SA_SIGINFO)
        own.sa_sigaction(signal, info, context);
    else
        own.sa_handler(signal);
}

/* ---- for the program ---- */

/* Takes all traps out, because the kernel kills a program that comes to a trap while SIGTRAP is
 * ignored. A thread that has just met a trap gets time for its handler. */
static void traps_leave(void)
{
    if (traps_end())
        pause_ns(RETURN_NS);
}

/* Handles sigaction() for all other signals: only changes the mask. */
static int mask_keep(int signal, const struct sigaction *action, struct sigaction *before)
{
    struct sigaction asked;

    if (action) {
        asked = *action;
        blocking_hide(&asked.sa_mask);
    }
    const int error = next_sigaction(signal, action ? &asked : NULL, before);
    if (!error && before)
        blocking_show(&before->sa_mask);
    return error;
}

static bool ignores(const struct sigaction *action)
{
    return action && action->sa_handler == SIG_IGN;
}

/* Sets what the program does on SIGURG or SIGTRAP. If it ignores the signal the kernel has to know,
 * because programs that it executes inherit that. */
static int own_set(int signal, struct kept *kept, const struct sigaction *action)
{
    const int error = ignores(action) ? next_sigaction(signal, action, NULL)
                                      : handler_set(signal, kept->taken, action);

    if (error)
        return error;
    kept->own = *action;
    if (ignores(action))
        kept->taken = NULL;
    return 0;
}

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    struct kept *kept = kept_of(signal);
    struct sigaction own;
    sigset_t mask;
    int error;

    if (!kept)
        return mask_keep(signal, action, before);
    if (atomic_load(&actions.pid) != getpid())
        return next_sigaction(signal, action, before);
    if (signal == SIGTRAP && ignores(action) && kept->taken)
        traps_leave();
    actions_lock(&mask);
    if (kept->taken) {
        own = kept->own;
        error = action ? own_set(signal, kept, action) : 0;
        if (before && !error)
            *before = own;
    } else {
        error = next_sigaction(signal, action, before);
    }
    actions_unlock(&mask);
    return error;
}

static sighandler_t handler_change(int signal, sighandler_t handler, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;

    return sigaction(signal, &action, &before) ? SIG_ERR : before.sa_handler;
}

static sighandler_t next_signal(next_t *known, const char *name, int signal, sighandler_t handler)
{
    sighandler_t (*next)(int, sighandler_t) = next_find(known, name, "/libc.");

    if (!next) {
        errno = ENOSYS;
        return SIG_ERR;
    }
    return next(signal, handler);
}

EXPORT sighandler_t signal(int signal, sighandler_t handler)
{
    static next_t known;

    return kept_of(signal) ? handler_change(signal, handler, SA_RESTART)
                           : next_signal(&known, "signal", signal, handler);
}

/* signal() as it is for programs that ask for the oldest behavior. */
EXPORT sighandler_t __sysv_signal(int signal, sighandler_t handler)
{
    static next_t known;

    return kept_of(signal) ? handler_change(signal, handler, (int)SA_RESETHAND | SA_NODEFER)
                           : next_signal(&known, "__sysv_signal", signal, handler);
}

/* Gives SIGURG back to the program, so that no traps or samples can be asked for any more. */
static void urgent_give_back(void)
{
    sigset_t before;

    actions_lock(&before);
    if (actions.urgent.taken && !next_sigaction(SIGURG, &actions.urgent.own, NULL))
        actions.urgent.taken = NULL;
    actions_unlock(&before);
}

/*
 * Ends the work of our handlers. None takes longer than some milliseconds. A handler returns by a
 * system call, too, so a thread that has met a trap gets time for that. The handler of SIGTRAP
 * stays, because a thread may just have met a trap.
 */
static void handlers_end(void)
{
    const bool trapped = traps_end();

    atomic_store(&hands_off, true);
    urgent_give_back();
    for (int i = 0; i < LOOKS_MAX && atomic_load(&inside_count) > 0; i++)
        pause_ns(LOOK_INTERVAL_NS);
    samplers_end();
    if (trapped)
        pause_ns(RETURN_NS);
}

/* A program that is about to filter its system calls, to get a signal for each of them, or to lose
 * the processor's clock may be killed by what our handlers do. Such programs call prctl() first. */
static bool bars_handlers(int option)
{
    return option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP || option == PR_SET_TSC ||
           option == PR_SET_SYSCALL_USER_DISPATCH;
}

EXPORT int prctl(int option, ...)
{
    unsigned long values[4];
    va_list more;

    va_start(more, option);
    for (size_t i = 0; i < ARRAY_COUNT(values); i++)
        values[i] = va_arg(more, unsigned long);
    va_end(more);
    if (bars_handlers(option) && atomic_load(&actions.pid) == getpid())
        handlers_end();
    return (int)syscall(SYS_prctl, option, values[0], values[1], values[2], values[3]);
}

bool actions_enter(void)
{
    atomic_fetch_add(&inside_count, 1);
    if (!atomic_load(&hands_off))
        return true;
    actions_leave();
    return false;
}

void actions_leave(void)
{
    atomic_fetch_sub(&inside_count, 1);
}

#endif
