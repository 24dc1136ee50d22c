/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A clock for what is measured millions of times a second: the processor's time stamp counter, if
 * the kernel itself keeps time by it, because then it is steady and alike on all processors;
 * otherwise the transport's clock.
 */
#ifndef JUGGLE_STEAL_RUNTIME_STOPWATCH_H
#define JUGGLE_STEAL_RUNTIME_STOPWATCH_H

#include "libjuggle/steal/runtime/transport.h"

#include <stdbool.h>

#ifdef __x86_64__
#include <x86intrin.h>
#endif

struct stopwatch {
    bool suitable;      /* ticks may be used */
    bool ticking;       /* ticks are used */
    double ns_per_tick; /* as measured since it was opened */
    int64_t opened_ns;
    int64_t opened_ticks;
};

void stopwatch_open(struct stopwatch *watch, struct transport *transport);

/* Measures how long a tick takes. To be called before the stopwatch is read: the longer it has been
 * open, the more exact. */
void stopwatch_set(struct stopwatch *watch, struct transport *transport);

static inline int64_t stopwatch_ticks(void)
{
#ifdef __x86_64__
    return (int64_t)__rdtsc();
#else
    return 0;
#endif
}

static inline int64_t stopwatch_read(const struct stopwatch *watch, struct transport *transport)
{
    return watch->ticking ? stopwatch_ticks() : transport->ops->now_ns(transport);
}

/* The time between two readings. At least 0: the counter of another processor may be a little
 * behind. */
static inline int64_t stopwatch_ns(const struct stopwatch *watch, int64_t begin, int64_t end)
{
    const int64_t span = max_i64(end - begin, 0);

    return watch->ticking ? (int64_t)((double)span * watch->ns_per_tick) : span;
}

#endif
