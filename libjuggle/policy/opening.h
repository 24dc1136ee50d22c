/* SPDX-License-Identifier: BSD-3-Clause */
/* When a barrier opened, by what the samples of those who waited there tell. Internal to policy/.
 */
#ifndef JUGGLE_POLICY_OPENING_H
#define JUGGLE_POLICY_OPENING_H

#include "libjuggle/policy/state.h"

/* Neither computes nor wants to: it is at the barrier already. */
static inline bool waits_for_others(const struct thread *thread)
{
    return thread->state != THREAD_RUNNING;
}

/* Waits at this very moment, not only at some time in the period. */
static inline bool waits_visibly(const struct thread *thread)
{
    return thread->state == THREAD_BLOCKED ||
           (thread->last.state == SAMPLE_WAITING && !thread->released);
}

/* Says that it waits, and takes a share of the processor all the same. */
static inline bool spins_at_barrier(const struct thread *thread)
{
    return thread->last.state == SAMPLE_WAITING && !thread->released && thread->run_ns > 0 &&
           !thread->gives_way;
}

/* At its last sample: it did not sleep. */
static inline bool was_yielding(const struct thread *thread)
{
    return thread->juggle.waited && !thread->juggle.slept;
}

/* Handed the processor more often than somebody who uses it. */
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
    bool exact;  /* somebody told it */
    bool solved; /* it follows from what all have done; else it opened then or later */
    bool told; /* by somebody who was seen to wait, or said so; else some did not run for a while */
    bool slept; /* all who waited were seen to sleep: nothing was burnt */
};

/* Within the period that was accounted last, standings being those before it. False: nobody passed
 * a barrier that was not seen before. */
bool opening_find(struct policy *policy, const struct domain *domain, int64_t now_ns,
                  struct opened_barrier *barrier);

#endif
