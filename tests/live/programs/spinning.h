/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared parts of the programs whose threads spin at barriers. */
#ifndef JUGGLE_TESTS_LIVE_PROGRAMS_SPINNING_H
#define JUGGLE_TESTS_LIVE_PROGRAMS_SPINNING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static volatile uint64_t sink;

static inline void work(long passes)
{
    uint64_t value = 1;

    for (long i = 0; i < passes; i++) {
        value = value * UINT64_C(6364136223846793005) + 1;
        __asm__ volatile("" : "+r"(value));
    }
    sink = value;
}

static inline void pause_once(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

struct meeting {
    _Atomic int arrived_count;
    _Atomic int generation; /* increases when all have arrived */
};

/* Returns true for the last of `count` threads; it lets the others go on. */
static inline bool arrives_last(struct meeting *meeting, int count)
{
    if (atomic_fetch_add(&meeting->arrived_count, 1) + 1 < count)
        return false;
    atomic_store(&meeting->arrived_count, 0);
    atomic_fetch_add(&meeting->generation, 1);
    return true;
}

#endif
