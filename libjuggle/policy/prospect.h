/* SPDX-License-Identifier: BSD-3-Clause */
/* What lies ahead of a domain: the work that each thread has left, and when all of it is done.
 * Internal to policy/. */
#ifndef JUGGLE_POLICY_PROSPECT_H
#define JUGGLE_POLICY_PROSPECT_H

#include "libjuggle/policy/state.h"

/*
 * A slot is a thread's share of its processor. Its rate is work per time, 1 for a usual processor,
 * and slots above the mean are fast ones. Times are doubles: shares of a processor are no whole
 * nanoseconds.
 */
struct prospect {
    bool whole; /* of a phase from its beginning, when everybody runs; else of what is left of it */
    int threads_count;
    int crowd; /* most threads that share a processor */
    double power_sum;
    double work_sum, work_most;
    double mean_rate, fast_rate, slow_rate; /* of a slot: of all, of the fast ones, of the others */
    double left_ns;                         /* until all are done, if they are kept abreast */
    double stay_ns;                         /* and if nobody moves any more */
};

/* How many share the processor. */
static inline int duty_sharers(const struct duty *duty)
{
    return duty->count + duty->burning_count;
}

struct prospect prospect_of(struct policy *policy, struct domain *domain, bool whole);

/* The work that the thread has left in this phase; where its length is unknown, what brings it
 * abreast of the furthest, and some more. */
double prospect_level_ns(const struct domain *domain, const struct thread *thread);

/* The rate of a slot on the processor, and whether that is a fast one; by the prospect that was
 * made last. */
double prospect_slot_rate(const struct policy *policy, int processor);
bool prospect_is_fast(const struct prospect *prospect, double rate);

/* When the first thread has used up its part of the slow slots, or of the fast ones; INFINITY,
 * where all are alike. */
double prospect_first_part_ns(const struct policy *policy, const struct domain *domain,
                              const struct prospect *prospect);

/* When the processor is done with the duty. */
double prospect_finish_ns(const struct processor_state *processor, const struct duty *duty);

#endif
