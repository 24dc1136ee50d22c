/* SPDX-License-Identifier: BSD-3-Clause */
/* A policy whose threads a test advances by hand, without an engine. */
#ifndef JUGGLE_TESTS_POLICY_BENCH_H
#define JUGGLE_TESTS_POLICY_BENCH_H

#include "tests/lib/suite.h"

#include "libjuggle/policy/slots.h"

#include <string.h>

enum { THREADS_MAX = 64 };

/* A policy with its buffers, and totals of threads that the tests advance by hand. */
static struct {
    struct machine machine;
    struct policy *policy;
    struct move moves[THREADS_MAX];
    struct plan plan;
    struct sample totals[THREADS_MAX];
    int64_t now_ns;
} bench;

static inline void bench_setup(enum policy_kind kind, int processors, int domains)
{
    const struct policy_options options = {.kind = kind, .threads_max = THREADS_MAX};

    free(bench.policy);
    memset(&bench, 0, sizeof(bench));
    bench.now_ns = NSEC_PER_SEC;
    ck_assert_int_eq(machine_uniform(processors, domains, &bench.machine), 0);
    const size_t footprint = (size_t)policy_footprint(&bench.machine, &options);
    void *memory = malloc(footprint);
    memset(memory, 0xa5, footprint); /* the policy may not rely on what the memory holds */
    bench.policy = policy_init(memory, &bench.machine, &options);
    bench.plan = (struct plan){.moves = bench.moves, .moves_max = THREADS_MAX};
}

/* Makes the policy anew after a test has changed the machine. */
static inline void renew(enum policy_kind kind)
{
    const struct policy_options options = {.kind = kind, .threads_max = THREADS_MAX};

    bench.policy = policy_init(bench.policy, &bench.machine, &options);
}

static inline void send(enum event_type type, int subject)
{
    const struct event event = {
        .type = type, .subject = subject, .domain = -1, .now_ns = bench.now_ns};

    policy_step(bench.policy, &event, &bench.plan);
}

static inline void arrive_hinted(int thread, int hint)
{
    bench.totals[thread] = (struct sample){.thread = thread, .now_ns = bench.now_ns};
    const struct event event = {.type = EVENT_THREAD_ARRIVED,
                                .subject = thread,
                                .domain = hint,
                                .now_ns = bench.now_ns,
                                .samples = &bench.totals[thread],
                                .samples_count = 1};

    policy_step(bench.policy, &event, &bench.plan);
}

static inline void start(int threads)
{
    for (int i = 0; i < threads; i++)
        arrive_hinted(i, -1);
    send(EVENT_START, -1);
}

static inline void begin(enum policy_kind kind, int processors, int domains, int threads)
{
    bench_setup(kind, processors, domains);
    start(threads);
}

static inline void period(int threads)
{
    const struct event event = {.type = EVENT_PERIOD,
                                .subject = -1,
                                .domain = 0,
                                .now_ns = bench.now_ns,
                                .samples = bench.totals,
                                .samples_count = threads};

    policy_step(bench.policy, &event, &bench.plan);
}

static inline struct thread_view view_of(int thread)
{
    struct thread_view view;

    ck_assert_int_eq(policy_thread(bench.policy, thread, &view), 0);
    return view;
}

static inline int home(int thread)
{
    return view_of(thread).processor;
}

static inline int held(int processor)
{
    int count = 0;

    for (int slot = -1; (slot = policy_thread_after(bench.policy, processor, slot)) >= 0;)
        count++;
    return count;
}

/* Each thread runs for its fair share of its processor during `span_ns`. */
static inline void run_fairly(int threads, int64_t span_ns)
{
    bench.now_ns += span_ns;
    for (int i = 0; i < threads; i++) {
        const int64_t share_ns = span_ns / held(home(i));
        bench.totals[i].run_ns += share_ns;
        bench.totals[i].wait_ns += span_ns - share_ns;
        bench.totals[i].now_ns = bench.now_ns;
    }
}

static inline void live(int threads, int64_t span_ns)
{
    run_fairly(threads, span_ns);
    period(threads);
}

static inline const struct move *move_of(int thread)
{
    for (int i = 0; i < bench.plan.moves_count; i++)
        if (bench.plan.moves[i].thread == thread)
            return &bench.plan.moves[i];
    return NULL;
}

static inline void check_period(enum period_reason reason, int64_t at_least_ns, int64_t at_most_ns)
{
    const int64_t period_ns = policy_period(bench.policy, 0);

    ck_assert_int_ge(period_ns, at_least_ns);
    ck_assert_int_le(period_ns, at_most_ns);
    ck_assert_int_gt(policy_period_choice(bench.policy, 0)->turns_count[reason], 0);
}

static inline void check_scopes(int threads, enum move_scope scope)
{
    for (int i = 0; i < threads; i++) {

        ck_assert_int_eq(view_of(i).scope, scope);
    }
}

#endif
