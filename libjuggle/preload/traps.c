/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processors allow a single byte of code to be written while other threads execute the code; these
 * see either instruction. A write to /proc/self/mem succeeds also if the program may not write
 * there; the kernel copies the page of the file first, because code is mapped privately. A program
 * may lose access to that file after traps were set.
 *
 * Interleaving. `busy` guards the table, the code, and what the page says of both. A handler that
 * finds it taken does nothing, because the code that it has interrupted may have taken it. An entry
 * is filled in before its address is published (release), and stays. It does no harm if a thread
 * comes to a trap that is not out yet, or that was just taken out: trap_next does what the
 * instruction would have done.
 *
 * traps_end waits for `busy`, but not for ever, because the code that has taken it may be code of
 * the same thread that a signal has interrupted. Then traps_end takes the traps out all the same,
 * and leaves the flag to its holder. The holder reads `ended` after its last write, and takes out
 * what it has set meanwhile.
 */
#include "libjuggle/preload/traps.h"

#if defined(__x86_64__)

#include "libjuggle/linux/clock.h"
#include "libjuggle/waiting/page_traps.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TRAPS_MAX = 64, TRIES_MAX = 1000 };

#define PAGE_MASK UINT64_C(4095)

struct trap {
    _Atomic uint64_t at; /* 0: the entry is free */
    _Atomic int index;   /* on the page */
    _Atomic bool set;
    uint8_t code[SPIN_TRAP_SIZE]; /* what stands there without the trap */
    struct loop loop;
};

static struct trap traps[TRAPS_MAX];
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Atomic bool ended, all_are_out;

/* ---- code ---- */

static const uint8_t *code_at(uint64_t at)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): where a trap is wanted */
    return (const uint8_t *)(uintptr_t)at;
}

static bool memory_write(uint64_t at, uint8_t byte)
{
    const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC);
    bool written;

    if (fd < 0)
        return false;
    written = syscall(SYS_pwrite64, fd, &byte, sizeof(byte), at) == sizeof(byte);
    syscall(SYS_close, fd);
    return written;
}

/* Writes with the rights that the program itself has. */
static bool memory_store(uint64_t at, uint8_t byte)
{
    const struct iovec from = {&byte, sizeof(byte)};
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): where a trap is wanted */
    const struct iovec to = {(void *)(uintptr_t)at, sizeof(byte)};

    return syscall(SYS_process_vm_writev, getpid(), &from, 1, &to, 1, 0) == sizeof(byte);
}

/* Writes without /proc/self/mem: in a root directory without /proc, or if the program has taken on
 * the rights of another user meanwhile. */
static bool memory_open(uint64_t at, uint8_t byte)
{
    const uint64_t page = at & ~PAGE_MASK;

    if (memory_store(at, byte))
        return true;
    if (syscall(SYS_mprotect, page, PAGE_MASK + 1, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    const bool written = memory_store(at, byte);
    syscall(SYS_mprotect, page, PAGE_MASK + 1, PROT_READ | PROT_EXEC);
    return written;
}

/* Calls nothing of the C library, where a thread might be canceled. */
static bool code_restore(uint64_t at, uint8_t byte)
{
    return memory_write(at, byte) || memory_open(at, byte);
}

/* True if the code is that for which the trap was made: another library may lie where one was
 * unloaded. */
static bool is_same_code(const struct trap *trap)
{
    const uint8_t *code = code_at(trap->at);

    return loop_is_readable(trap->at) && loop_is_readable(trap->at + SPIN_TRAP_SIZE - 1) &&
           (code[0] == trap->code[0] || code[0] == SPIN_INT3) &&
           !memcmp(code + 1, trap->code + 1, SPIN_TRAP_SIZE - 1);
}

/* ---- one trap ---- */

struct trap *trap_at(uint64_t at)
{
    for (int i = 0; i < TRAPS_MAX; i++) {
        const uint64_t known = atomic_load_explicit(&traps[i].at, memory_order_acquire);
        if (known == at)
            return &traps[i];
        if (!known)
            break;
    }
    return NULL;
}

/* Puts the original bytes into a copy of code that has traps. */
static void code_clean(uint8_t *code, size_t size, uint64_t from)
{
    for (int i = 0; i < TRAPS_MAX && traps[i].at; i++)
        if (traps[i].set && traps[i].at - from < size)
            code[traps[i].at - from] = traps[i].code[0];
}

static bool trap_learn(struct trap *trap, uint64_t at)
{
    static uint8_t code[LOOP_CODE_SIZE];
    uint64_t from;
    const size_t size = loop_code_copy(at, code, &from);

    if (!size || at - from + SPIN_TRAP_SIZE > size)
        return false;
    code_clean(code, size, from);
    memcpy(trap->code, code + (at - from), SPIN_TRAP_SIZE);
    return loop_learn(&trap->loop, code, size, from, at);
}

static struct trap *trap_have(uint64_t at)
{
    struct trap *trap = trap_at(at);

    for (int i = 0; i < TRAPS_MAX && !trap; i++) {
        if (traps[i].at)
            continue;
        if (!trap_learn(&traps[i], at))
            return NULL;
        trap = &traps[i];
        atomic_store_explicit(&trap->at, at, memory_order_release);
    }
    return trap;
}

static bool trap_set(struct trap *trap, int index)
{
    if (!trap || !is_same_code(trap))
        return false;
    trap->index = index;
    trap->set = true;
    /* Again: traps_end may have taken the trap out before it was written. A trap that is in place
     * needs no write, for which there may be no file descriptor any more. */
    trap->set = memory_write(trap->at, SPIN_INT3) || *code_at(trap->at) == SPIN_INT3;
    return trap->set;
}

static void take_out(struct trap *trap)
{
    if (!trap->set || (is_same_code(trap) && !code_restore(trap->at, trap->code[0])))
        return;
    trap->set = false;
    page_trap_is_out(waiter_page(), trap->index);
}

bool trap_holds(const struct trap *trap)
{
    return page_trap_holds(waiter_page(), trap->index, trap->at, clock_now_ns());
}

void trap_take_out(struct trap *trap)
{
    if (atomic_flag_test_and_set(&busy))
        return;
    take_out(trap);
    atomic_flag_clear(&busy);
}

struct loop *trap_loop(struct trap *trap)
{
    return &trap->loop;
}

uint64_t trap_next(const struct trap *trap, uint64_t flags)
{
    return spin_code_next(trap->code, trap->at, flags);
}

bool trap_goes_on(const struct trap *trap, uint64_t flags)
{
    return spin_code_jumps(trap->code, flags);
}

/* ---- all of them ---- */

static void take_out_all(void)
{
    bool out = true;

    for (int i = 0; i < TRAPS_MAX && traps[i].at; i++) {
        take_out(&traps[i]);
        out = out && !traps[i].set;
    }
    all_are_out = out;
}

void traps_set(int asked)
{
    struct page *page = waiter_page();

    if (asked < 0 || asked >= PAGE_TRAPS_MAX || atomic_flag_test_and_set(&busy))
        return;
    for (int i = 0; i < PAGE_TRAPS_MAX && !ended; i++) {
        const uint64_t at = page_trap_due(page, i, asked);
        if (!at)
            continue;
        if (trap_set(trap_have(at), i))
            page_trap_is_set(page, i);
        else
            page_trap_is_refused(page, i);
    }
    if (ended)
        take_out_all();
    atomic_flag_clear(&busy);
}

bool traps_end(void)
{
    const bool any = !ended && traps[0].at;
    bool taken = false;

    ended = true;
    for (int i = 0; i < TRIES_MAX && !taken; i++) {
        taken = !atomic_flag_test_and_set(&busy);
        if (!taken)
            syscall(SYS_sched_yield);
    }
    take_out_all();
    if (taken)
        atomic_flag_clear(&busy);
    return any;
}

bool traps_have_ended(void)
{
    return all_are_out;
}

void traps_begin_child(void)
{
    atomic_flag_clear(&busy);
}

#endif
