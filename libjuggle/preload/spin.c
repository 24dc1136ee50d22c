/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loaded into programs whose threads may spin where they share processors: who is caught spinning
 * waits politely instead, and says so.
 *
 * Whoever balances the program sees that threads spin in a loop, and sets a breakpoint into it
 * (libjuggle/linux/spin_trap.h). A thread that comes there is interrupted by a signal. The handler
 * finds out where the loop looks, and lets others run until something changes there. Then the loop
 * goes on as if it had been slow.
 *
 * What the loop waits for may come between its own look and the one here: waiting for a change
 * would then be in vain. So the first time in a wait the handler notes what it sees, yields for
 * FIRST_NS at most, and returns. If the loop comes back and all is as it was, the loop has seen the
 * same and did not leave: whatever it waits for is a change. The code may be misread, so no wait is
 * longer than HOLD_MAX_NS without the loop having another look.
 *
 * The thread was about to execute an instruction of its loop when it was interrupted: what is
 * called here is called as if by the loop. It takes no lock, as the loop may be one of a lock.
 *
 * There are two signals. SIGURG, which the kernel ignores where nobody handles it, can harm nobody,
 * and comes first. SIGTRAP takes half of the time, and would end a program that does not handle it:
 * a thread asks for it when it has seen that the handler here is in place.
 */
#include "libjuggle/linux/clock.h"
#include "libjuggle/preload/actions.h"
#include "libjuggle/preload/blocking.h"
#include "libjuggle/preload/loops.h"
#include "libjuggle/preload/waiter.h"
#include "libjuggle/waiting/manners.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)

enum {
    STACK = 4,
    YIELDS = 8,
    JUDGED = 32,
    VAIN_MAX = 24,
    CODE_OF_TRAP = 6, /* TRAP_PERF, which headers may lack */
    /* TRAP_HWBKPT: of one that was lifted while the processor stopped at it, as the kernel knows no
     * owner then. Of a debugger's breakpoints the program is not told. */
    CODE_OF_LIFTED = 4
};

#define FIRST_NS    (20 * NSEC_PER_USEC)
#define HOLD_MAX_NS (2 * NSEC_PER_MSEC)
/* A loop that comes back later was left meanwhile. */
#define BACK_MAX_NS (100 * NSEC_PER_USEC)

static __thread __attribute__((tls_model("initial-exec"))) struct {
    uint64_t at, stack; /* where it was caught */
    int64_t at_ns;
    int64_t since_ns; /* when the wait began of which too little is known to wait for a change */
    struct loop_sight sight;
    const struct loop *held; /* the loop that was held for as long as one may be */
    int count, vain_count;   /* catches lately, and those whose wait was over at once */
} caught;

static void registers_take(const ucontext_t *context, struct loop_registers *registers)
{
    static const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};

    for (int i = 0; i < 16; i++)
        registers->numbered[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
    registers->at = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
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

/* Where it is not known what the loop waits for, the loop itself has to look: soon the first time,
 * and after a nap when it has come back. */
static void wait_a_moment(const struct loop_registers *registers)
{
    const bool back = came_back(registers);

    waiter_enter();
    waiter_gave_way();
    if (back) {
        waiter_wait_resume();
        waiter_nap(manners_nap_ns(clock_now_ns() - caught.since_ns), NULL);
    } else {
        waiter_wait_begin();
        caught.since_ns = clock_now_ns();
        for (int i = 0; i < YIELDS; i++)
            syscall(SYS_sched_yield);
    }
    waiter_leave();
    note_leaving(registers);
}

/* Who waits for a few microseconds loses more by being caught than by spinning. */
static void catch_judge(bool vain)
{
    caught.vain_count += vain;
    if (++caught.count < JUDGED)
        return;
    if (caught.vain_count > VAIN_MAX)
        waiter_caught_in_vain();
    caught.count = caught.vain_count = 0;
}

static void yield_first(const struct loop_sight *sight)
{
    const int64_t until_ns = clock_now_ns() + FIRST_NS;
    bool changed;

    do {
        syscall(SYS_sched_yield);
        changed = loop_sight_changed(sight);
    } while (!changed && clock_now_ns() < until_ns);
    catch_judge(changed && clock_now_ns() < until_ns);
}

/* True if there was none for too long. */
static bool wait_for_change(const struct loop_sight *sight)
{
    const int64_t until_ns = clock_now_ns() + HOLD_MAX_NS;

    while (!loop_sight_changed(sight)) {
        if (clock_now_ns() >= until_ns)
            return true;
        const struct waiter_word word = loop_sight_word(sight);
        if (!loop_sight_changed(sight) && !waiter_idle(&word))
            __builtin_ia32_pause();
    }
    return false;
}

static bool is_back(const struct loop_registers *registers, const struct loop_sight *sight)
{
    return came_back(registers) && loop_sights_equal(sight, &caught.sight);
}

static void spin_catch(const struct loop *loop, const struct loop_registers *registers)
{
    struct loop_sight sight;

    loop_look(loop, registers, &sight);
    if (!sight.count) {
        wait_a_moment(registers);
        return;
    }
    const bool back = is_back(registers, &sight);
    if (caught.held)
        loop_was_held(caught.held, back);
    caught.held = NULL;
    waiter_enter();
    if (back) {
        waiter_wait_resume();
        caught.held = wait_for_change(&sight) ? loop : NULL;
    } else {
        waiter_wait_begin();
        waiter_gave_way();
        yield_first(&sight);
    }
    waiter_leave();
    caught.sight = sight;
    note_leaving(registers);
}

static void loop_stop(const ucontext_t *context)
{
    struct loop_registers registers;

    registers_take(context, &registers);
    const struct loop *loop = loop_at(registers.at);
    if (loop && loop_goes_on(loop, &registers))
        spin_catch(loop, &registers);
}

/* ---- signals ---- */

static void handle_trap(int signal, siginfo_t *info, void *context)
{
    const int error = errno;

    if (info->si_code != CODE_OF_TRAP && info->si_code != CODE_OF_LIFTED) {
        if (!blocking_keeps(info, context))
            action_pass_on(signal, info, context);
    } else if (actions_enter()) {
        loop_stop(context);
        actions_leave();
        errno = error;
    } else {
        waiter_let_be();
    }
}

static void trap_handler_set(void)
{
    sigset_t blocked;

    if (!kernel_mask(SIG_BLOCK, NULL, &blocked) && !sigismember(&blocked, SIGTRAP) &&
        action_take(SIGTRAP, handle_trap))
        waiter_take_traps();
}

static void handle_first(int signal, siginfo_t *info, void *context)
{
    const int error = errno;

    if (info->si_code != POLL_IN) {
        action_pass_on(signal, info, context); /* it is of a socket */
    } else if (actions_enter()) {
        loop_stop(context);
        trap_handler_set();
        actions_leave();
        errno = error;
    } else {
        waiter_let_be();
    }
}

__attribute__((constructor)) static void handler_set(void)
{
    actions_begin();
    blocking_begin();
    waiter_share();
    if (waiter_listened_to())
        (void)action_take(SIGURG, handle_first);
}

#endif
