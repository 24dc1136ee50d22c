/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds when a barrier opened, by the samples of the threads that waited there. Internal to
 * policy/. */
#ifndef JUGGLE_POLICY_OPENING_H
#define JUGGLE_POLICY_OPENING_H

#include "libjuggle/policy/state.h"

/* True if the thread waits at the barrier: it neither computes nor wants to. */
static inline bool waits_for_others(const struct thread *thread)
{
    return thread->state != THREAD_RUNNING;
}

/* True if it was waiting at its last sample, not only at some time in the period. */
static inline bool waits_visibly(const struct thread *thread)
{
    return thread->state == THREAD_BLOCKED ||
           (thread->last.state == SAMPLE_WAITING && !thread->released);
}

/* True if it says that it waits, and takes a share of the processor all the same. */
static inline bool spins_at_barrier(const struct thread *thread)
{
    return thread->last.state == SAMPLE_WAITING && !thread->released && thread->run_ns > 0;
}

/* True if it waited at the sample before the last one, and did not sleep. */
static inline bool was_yielding(const struct thread *thread)
{
    return thread->juggle.waited && !thread->juggle.waited_visibly;
}

/* True if it was given the processor more often than a thread that computes. */
static inline bool has_yielded(const struct thread *thread)
{
    return thread->slices_count >= YIELD_SLICES_MIN + thread->elapsed_ns / NSEC_PER_MSEC;
}

static inline bool is_alone(const struct policy *policy, const struct thread *thread)
{
    return policy->processors[thread->processor].threads_count == 1;
}

struct opened_barrier {
    int64_t opened_ns;
    bool exact;     /* a thread told it, or its waiters bound it from both sides */
    bool solved;    /* computed from the work of all threads; if neither exact nor solved, it opened
                       then or later */
    bool all_slept; /* no thread yielded there, so nothing was burnt */
};

/* Finds the barrier that opened in the period that was accounted last. Standings must be those
 * before that period. False if no thread has passed a barrier that was not seen before. */
bool opening_find(struct policy *policy, const struct domain *domain, int64_t now_ns,
                  struct opened_barrier *barrier);

#endif
