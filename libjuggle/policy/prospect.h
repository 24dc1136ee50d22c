/* SPDX-License-Identifier: BSD-3-Clause */
/* The work that each thread of a domain has left, and when all of it is done. Internal to policy/.
 */
#ifndef JUGGLE_POLICY_PROSPECT_H
#define JUGGLE_POLICY_PROSPECT_H

#include "libjuggle/policy/state.h"

/*
 * A slot is a thread's share of its processor. Its rate is work per time, 1 for a usual processor,
 * and slots above the mean rate are fast ones. Times are doubles, because shares of a processor are
 * not whole nanoseconds.
 */
struct prospect {
    bool whole; /* for a phase from its beginning, when all threads run; else for the rest of it */
    int threads_count;
    int crowd; /* greatest number of threads on a processor */
    double power_sum;
    double work_sum, work_most;
    double mean_rate, fast_rate, slow_rate; /* of slots: of all, fast ones, slow ones */
    double left_ns; /* until all threads are done, if they are kept abreast */
    double stay_ns; /* and if no thread is moved any more */
};

/* Returns the number of threads that share the processor. */
static inline int duty_sharers(const struct duty *duty)
{
    return duty->count + duty->burning_count;
}

/* Also sets power and duty of the domain's processors. */
struct prospect prospect_of(struct policy *policy, struct domain *domain, bool whole);

/* Returns the thread's level: the work that it has left in this phase. If the length of phases is
 * unknown, the work by which it is behind the furthest thread, plus half of INTERVAL_MAX_NS. */
double prospect_level_ns(const struct domain *domain, const struct thread *thread);

/* The rate of a slot on the processor, by the prospect that was made last; and whether a slot of
 * that rate is fast. */
double prospect_slot_rate(const struct policy *policy, int processor);
bool prospect_is_fast(const struct prospect *prospect, double rate);

/* Returns the time until the first thread has used up its part of the slow slots, or of the fast
 * ones (prospect.c); INFINITY if all slots are alike. */
double prospect_first_part_ns(const struct policy *policy, const struct domain *domain,
                              const struct prospect *prospect);

/* Returns the time until the processor has done all of the duty. */
double prospect_finish_ns(const struct processor_state *processor, const struct duty *duty);

#endif
