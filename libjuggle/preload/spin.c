/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loaded into programs whose threads may spin though they share processors. A thread that is caught
 * spinning lets others run while it waits, and reports that it waits.
 *
 * The balancer sees that threads spin in a loop, and asks for a trap in it by SIGURG. The kernel
 * ignores that signal in a program that does not handle it, so it can harm no program. The handler
 * sets the trap (libjuggle/preload/traps.h) if the handler of SIGTRAP is in place. A thread that
 * comes to the trap gets SIGTRAP. The handler finds out what memory the loop looks at, lets other
 * threads run until something changes there, and the loop goes on as if it had been slow. If the
 * kernel does not let the balancer see where threads run, the balancer asks for samples of that by
 * SIGURG, too (samplers.h).
 *
 * The change that a loop waits for may come between the loop's own look and the look here: waiting
 * for it would then be in vain. So the first time in a wait the handler notes what it sees, yields
 * for FIRST_NS at most, and returns. If the loop comes back and all is as it was, the loop has seen
 * the same and did not leave, so it waits for a change. The code may be misread, so the loop gets
 * to look again after HOLD_MAX_NS at most.
 *
 * The thread was about to execute an instruction of its loop when it was interrupted: functions
 * that are called here are called as if by the loop. They take no lock, because the loop may be
 * that of a lock.
 */
#include "libjuggle/linux/clock.h"
#include "libjuggle/preload/actions.h"
#include "libjuggle/preload/blocking.h"
#include "libjuggle/preload/calls.h"
#include "libjuggle/preload/samplers.h"
#include "libjuggle/preload/traps.h"
#include "libjuggle/preload/waiter.h"
#include "libjuggle/waiting/page_samples.h"
#include "libjuggle/waiting/page_traps.h"
#include "libjuggle/waiting/wait_style.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)

enum { STACK = 4, YIELDS = 8 };

#define FIRST_NS    (20 * NSEC_PER_USEC)
#define HOLD_MAX_NS (2 * NSEC_PER_MSEC)
/* A loop that comes back later than this was left meanwhile. */
#define BACK_MAX_NS (100 * NSEC_PER_USEC)

static __thread __attribute__((tls_model("initial-exec"))) struct {
    uint64_t at, stack; /* where it was caught */
    int64_t at_ns;
    int64_t since_ns; /* when a wait began for which it is not known what memory may change */
    struct loop_snapshot snapshot;
    struct loop *held; /* the loop, if it was held for HOLD_MAX_NS */
} caught;

/* Takes the registers as they were before the trap, whose `int3` is one byte long. */
static void registers_take(const ucontext_t *context, struct loop_registers *registers)
{
    static const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};

    for (int i = 0; i < 16; i++)
        registers->numbered[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
    registers->at = (uint64_t)context->uc_mcontext.gregs[REG_RIP] - 1;
    registers->flags = (uint64_t)context->uc_mcontext.gregs[REG_EFL];
}

static bool came_back(const struct loop_registers *registers)
{
    return caught.at == registers->at && caught.stack == registers->numbered[STACK] &&
           clock_now_ns() - caught.at_ns < BACK_MAX_NS;
}

static void note_leaving(const struct loop_registers *registers)
{
    caught.at = registers->at;
    caught.stack = registers->numbered[STACK];
    caught.at_ns = clock_now_ns();
}

/* For a loop that waits for something unknown. The loop itself has to look: soon the first time,
 * and after a nap when it has come back. */
static void wait_a_moment(const struct loop_registers *registers)
{
    const bool back = came_back(registers);

    waiter_enter();
    waiter_gave_way();
    if (back) {
        waiter_wait_resume();
        waiter_nap(wait_style_nap_ns(clock_now_ns() - caught.since_ns), NULL);
    } else {
        waiter_wait_begin();
        caught.since_ns = clock_now_ns();
        for (int i = 0; i < YIELDS; i++)
            syscall(SYS_sched_yield);
    }
    waiter_leave();
    note_leaving(registers);
}

static void yield_first(const struct loop_snapshot *snapshot)
{
    const int64_t until_ns = clock_now_ns() + FIRST_NS;

    do
        syscall(SYS_sched_yield);
    while (!loop_snapshot_changed(snapshot) && clock_now_ns() < until_ns);
}

/* True if there was no change within HOLD_MAX_NS. */
static bool wait_for_change(const struct loop_snapshot *snapshot)
{
    const int64_t until_ns = clock_now_ns() + HOLD_MAX_NS;

    while (!loop_snapshot_changed(snapshot)) {
        if (clock_now_ns() >= until_ns)
            return true;
        const struct waiter_word word = loop_snapshot_word(snapshot);
        if (!loop_snapshot_changed(snapshot) && !waiter_idle(&word))
            __builtin_ia32_pause();
    }
    return false;
}

static bool is_back(const struct loop_registers *registers, const struct loop_snapshot *snapshot)
{
    return came_back(registers) && loop_snapshots_equal(snapshot, &caught.snapshot);
}

static void spin_catch(struct loop *loop, const struct loop_registers *registers)
{
    struct loop_snapshot snapshot;

    loop_snapshot_take(loop, registers, &snapshot);
    if (!snapshot.count) {
        wait_a_moment(registers);
        return;
    }
    const bool back = is_back(registers, &snapshot);
    if (caught.held)
        loop_was_held(caught.held, back);
    caught.held = NULL;
    waiter_enter();
    if (back) {
        waiter_wait_resume();
        caught.held = wait_for_change(&snapshot) ? loop : NULL;
    } else {
        waiter_wait_begin();
        waiter_gave_way();
        yield_first(&snapshot);
    }
    waiter_leave();
    caught.snapshot = snapshot;
    note_leaving(registers);
}

/* Does what the instruction under the trap would have done. */
static void trap_meet(struct trap *trap, ucontext_t *context)
{
    struct loop_registers registers;

    registers_take(context, &registers);
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)trap_next(trap, registers.flags);
    if (!actions_enter())
        return;
    if (!trap_holds(trap))
        trap_take_out(trap);
    else if (trap_goes_on(trap, registers.flags))
        spin_catch(trap_loop(trap), &registers);
    actions_leave();
}

/* ---- signals ---- */

/* Returns the trap if the signal is of its `int3`, behind which the thread stands; else NULL. */
static struct trap *trap_before(const siginfo_t *info, const ucontext_t *context)
{
    if (info->si_code != SI_KERNEL)
        return NULL;
    return trap_at((uint64_t)context->uc_mcontext.gregs[REG_RIP] - 1);
}

static void handle_trap(int signal, siginfo_t *info, void *context)
{
    const int error = errno;
    struct trap *trap = trap_before(info, context);

    if (trap)
        trap_meet(trap, context);
    else if (!blocking_keeps(info, context))
        action_pass_on(signal, info, context);
    errno = error;
}

/* Returns the number, below `count`, that the signal's value adds to `request`; -1 if the signal is
 * none of these. */
static int asked(const siginfo_t *info, int code, int request, int count)
{
    const int number = info->si_value.sival_int - request;

    return info->si_code == code && number >= 0 && number < count ? number : -1;
}

/* Serves a signal of ours: the balancer wants traps or samples, or a thread's timer has expired.
 * Traps are set only if the handler of SIGTRAP is in place, because without it they would kill the
 * program. False: the signal is the program's. */
static bool serve_request(const siginfo_t *info, ucontext_t *context)
{
    const int traps = asked(info, SI_QUEUE, PAGE_TRAPS_REQUEST, PAGE_TRAPS_MAX);
    const int samples = asked(info, SI_QUEUE, PAGE_SAMPLES_REQUEST, 1);
    const int sampled = asked(info, SI_TIMER, PAGE_SAMPLES_REQUEST, PAGE_SAMPLED_MAX);

    if (traps < 0 && samples < 0 && sampled < 0)
        return false;
    call_begin_again(context);
    if (!actions_enter())
        return true;
    if (traps >= 0 && action_take(SIGTRAP, handle_trap))
        traps_set(traps);
    if (samples >= 0 && action_is_taken(SIGURG))
        samplers_set();
    if (sampled >= 0)
        sampler_note(sampled, (uint64_t)context->uc_mcontext.gregs[REG_RIP]);
    actions_leave();
    return true;
}

static void handle_urgent(int signal, siginfo_t *info, void *context)
{
    const int error = errno;

    if (!serve_request(info, context))
        action_pass_on(signal, info, context);
    errno = error;
}

__attribute__((constructor)) static void handlers_set(void)
{
    actions_begin();
    waiter_set_oversubscribed();
    const bool taken = waiter_page() && action_take(SIGTRAP, handle_trap);
    blocking_begin();
    if (taken)
        (void)action_take(SIGURG, handle_urgent);
}

#endif
