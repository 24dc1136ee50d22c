/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving. Who changes `at` of a place from FREE to TAKEN fills the rest and then publishes
 * the address (release); loop_at reads it (acquire). A place that is filled stays as it is.
 */
#include "libjuggle/preload/loops.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOPS_MAX = 16, MISREAD_MAX = 8, CODE_SIZE = 2 * SPIN_REACH, WORD_SIZE = 8, FUTEX_SIZE = 4 };
enum { FREE = 0, TAKEN = 1 }; /* no instruction is there */

#define PAGE_MASK UINT64_C(4095)

struct loop {
    _Atomic uint64_t at;
    bool waits;
    uint64_t code;      /* the address of what the watch counts from */
    uint8_t closing[2]; /* the instruction at `at`, if that is the one that closes the loop */
    struct spin_watch watch;
    _Atomic int held_count, misread_count;
};

static struct loop loops[LOOPS_MAX];

/* ---- memory ---- */

/* A word of memory that may not be there: the kernel looks at it before it refuses the rest of the
 * call, which every filter of system calls allows. */
static bool is_readable(uint64_t address)
{
    return syscall(SYS_rt_sigprocmask, -1, address & ~(uint64_t)(WORD_SIZE - 1), NULL, WORD_SIZE) <
               0 &&
           errno != EFAULT;
}

static const uint8_t *memory(uint64_t address)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): what a register holds */
    return (const uint8_t *)(uintptr_t)address;
}

static uint64_t value_at(uint64_t address, int size)
{
    switch (size) {
    case 1:
        return __atomic_load_n(memory(address), __ATOMIC_ACQUIRE);
    case 2:
        return __atomic_load_n((const uint16_t *)memory(address), __ATOMIC_ACQUIRE);
    case 4:
        return __atomic_load_n((const uint32_t *)memory(address), __ATOMIC_ACQUIRE);
    default:
        return __atomic_load_n((const uint64_t *)memory(address), __ATOMIC_ACQUIRE);
    }
}

/* ---- loops ---- */

/* The code around an instruction that can be read. */
static size_t code_around(uint64_t at, uint64_t *from)
{
    uint64_t to = at + SPIN_REACH;

    if (!is_readable(at))
        return 0;
    *from = at - SPIN_REACH;
    if ((*from & ~PAGE_MASK) != (at & ~PAGE_MASK) && !is_readable(*from))
        *from = at & ~PAGE_MASK;
    if ((to & ~PAGE_MASK) != (at & ~PAGE_MASK) && !is_readable(to))
        to = (at | PAGE_MASK) + 1;
    return to - *from;
}

static void loop_learn(struct loop *loop, uint64_t at)
{
    struct spin_loop bounds;
    const size_t size = code_around(at, &loop->code);
    const uint8_t *code = memory(loop->code);

    loop->waits = size && spin_code_waits(code, size, at - loop->code, &bounds);
    if (!loop->waits)
        return;
    spin_code_watch(code, &bounds, &loop->watch);
    if (at == loop->code + bounds.trap)
        memcpy(loop->closing, memory(at), sizeof(loop->closing));
}

const struct loop *loop_at(uint64_t at)
{
    for (int i = 0; i < LOOPS_MAX; i++) {
        uint64_t known = atomic_load_explicit(&loops[i].at, memory_order_acquire);
        if (known == at)
            return loops[i].waits ? &loops[i] : NULL;
        if (known == TAKEN)
            return NULL;
        if (known != FREE)
            continue;
        if (!atomic_compare_exchange_strong(&loops[i].at, &known, TAKEN))
            return NULL;
        loop_learn(&loops[i], at);
        atomic_store_explicit(&loops[i].at, at, memory_order_release);
        return loops[i].waits ? &loops[i] : NULL;
    }
    return NULL;
}

bool loop_goes_on(const struct loop *loop, const struct loop_registers *registers)
{
    return spin_code_jumps(loop->closing, registers->flags);
}

static struct loop *loop_own(const struct loop *loop)
{
    return &loops[loop - loops];
}

void loop_was_held(const struct loop *loop, bool came_back)
{
    loop_own(loop)->held_count++;
    loop_own(loop)->misread_count += !came_back;
}

static bool is_misread(const struct loop *loop)
{
    return loop->misread_count > MISREAD_MAX && 2 * loop->misread_count > loop->held_count;
}

/* ---- what they look at ---- */

static uint64_t load_address(const struct loop *loop, int i, const struct loop_registers *registers)
{
    const struct spin_load *load = &loop->watch.loads[i];
    uint64_t address = (uint64_t)(int64_t)load->displacement;

    if (load->beside_code)
        address += loop->code + loop->watch.ends[i];
    if (load->base >= 0)
        address += registers->numbered[load->base];
    if (load->index >= 0)
        address += registers->numbered[load->index] << load->scale_log2;
    return address;
}

void loop_look(const struct loop *loop, const struct loop_registers *registers,
               struct loop_sight *sight)
{
    sight->count = 0;
    if (is_misread(loop))
        return;
    for (int i = 0; i < loop->watch.count; i++) {
        const uint64_t address = load_address(loop, i, registers);
        const int size = loop->watch.loads[i].size;
        /* A word that is aligned lies within one of those that the kernel looks at. */
        if (address % (uint64_t)size || !is_readable(address))
            continue;
        sight->addresses[sight->count] = address;
        sight->sizes[sight->count] = size;
        sight->values[sight->count++] = value_at(address, size);
    }
}

bool loop_sights_equal(const struct loop_sight *a, const struct loop_sight *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (a->addresses[i] != b->addresses[i] || a->values[i] != b->values[i])
            return false;
    return true;
}

struct waiter_word loop_sight_word(const struct loop_sight *sight)
{
    const uint64_t address = sight->addresses[0] & ~(uint64_t)(FUTEX_SIZE - 1);

    /* NOLINTNEXTLINE(performance-no-int-to-ptr): what a register holds */
    return (struct waiter_word){(const uint32_t *)(uintptr_t)address,
                                (uint32_t)value_at(address, FUTEX_SIZE)};
}

bool loop_sight_changed(const struct loop_sight *sight)
{
    for (int i = 0; i < sight->count; i++)
        if (value_at(sight->addresses[i], sight->sizes[i]) != sight->values[i])
            return true;
    return false;
}
