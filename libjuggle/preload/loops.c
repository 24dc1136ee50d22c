/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/preload/loops.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MISREAD_MAX = 8, WORD_SIZE = 8, FUTEX_SIZE = 4 };

#define PAGE_MASK UINT64_C(4095)

/* ---- memory ---- */

/* True if the word of memory at the address can be read. The kernel reads it before it refuses the
 * rest of the call, and every filter of system calls allows this call. */
bool loop_is_readable(uint64_t address)
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

size_t loop_code_copy(uint64_t at, uint8_t code[LOOP_CODE_SIZE], uint64_t *from)
{
    uint64_t to = at + SPIN_REACH;

    if (!loop_is_readable(at))
        return 0;
    *from = at - SPIN_REACH;
    if ((*from & ~PAGE_MASK) != (at & ~PAGE_MASK) && !loop_is_readable(*from))
        *from = at & ~PAGE_MASK;
    if ((to & ~PAGE_MASK) != (at & ~PAGE_MASK) && !loop_is_readable(to))
        to = (at | PAGE_MASK) + 1;
    memcpy(code, memory(*from), to - *from);
    return to - *from;
}

bool loop_learn(struct loop *loop, const uint8_t *code, size_t size, uint64_t from, uint64_t at)
{
    struct spin_loop bounds;

    if (!spin_code_waits(code, size, at - from, &bounds) || from + bounds.trap != at)
        return false;
    loop->code = from;
    spin_code_watch(code, &bounds, &loop->watch);
    loop->held_count = loop->misread_count = 0;
    return true;
}

void loop_was_held(struct loop *loop, bool came_back)
{
    loop->held_count++;
    loop->misread_count += !came_back;
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

    if (load->rip_relative)
        address += loop->code + loop->watch.ends[i];
    if (load->base >= 0)
        address += registers->numbered[load->base];
    if (load->index >= 0)
        address += registers->numbered[load->index] << load->scale_log2;
    return address;
}

void loop_snapshot_take(const struct loop *loop, const struct loop_registers *registers,
                        struct loop_snapshot *snapshot)
{
    snapshot->count = 0;
    if (is_misread(loop))
        return;
    for (int i = 0; i < loop->watch.count; i++) {
        const uint64_t address = load_address(loop, i, registers);
        const int size = loop->watch.loads[i].size;
        /* An aligned value lies within one word that loop_is_readable checks. */
        if (address % (uint64_t)size || !loop_is_readable(address))
            continue;
        snapshot->addresses[snapshot->count] = address;
        snapshot->sizes[snapshot->count] = size;
        snapshot->values[snapshot->count++] = value_at(address, size);
    }
}

bool loop_snapshots_equal(const struct loop_snapshot *a, const struct loop_snapshot *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (a->addresses[i] != b->addresses[i] || a->values[i] != b->values[i])
            return false;
    return true;
}

struct waiter_word loop_snapshot_word(const struct loop_snapshot *snapshot)
{
    const uint64_t address = snapshot->addresses[0] & ~(uint64_t)(FUTEX_SIZE - 1);

    /* NOLINTNEXTLINE(performance-no-int-to-ptr): what a register holds */
    return (struct waiter_word){(const uint32_t *)(uintptr_t)address,
                                (uint32_t)value_at(address, FUTEX_SIZE)};
}

bool loop_snapshot_changed(const struct loop_snapshot *snapshot)
{
    for (int i = 0; i < snapshot->count; i++)
        if (value_at(snapshot->addresses[i], snapshot->sizes[i]) != snapshot->values[i])
            return true;
    return false;
}
