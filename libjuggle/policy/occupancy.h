/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads each processor holds, and how long it takes for them. Internal to policy/. */
#ifndef JUGGLE_POLICY_OCCUPANCY_H
#define JUGGLE_POLICY_OCCUPANCY_H

#include "libjuggle/policy/state.h"

/* How many threads each processor and each domain holds, or is to hold. */
struct occupancy {
    int threads[MACHINE_PROCESSORS_MAX];
    int held[MACHINE_DOMAINS_MAX];
    int64_t power[MACHINE_DOMAINS_MAX]; /* of the online processors */
};

/* occupancy_count() adds the threads of one domain to an occupancy that is zero; occupancy_now()
 * sets it to those of all domains. While balancers decide in parallel, each may count its own
 * domain only. */
void occupancy_count(const struct policy *policy, int domain, struct occupancy *occupancy);
void occupancy_now(const struct policy *policy, struct occupancy *occupancy);

/* Returns the processor's rate if homes are chosen by speeds, else RATE_ONE. */
int64_t occupancy_rate(const struct policy *policy, int processor);

/*
 * Returns how much the processor with `more` additional threads, or its busiest sibling, would have
 * to do for threads of equal work, in units of what its rate gets done. While both are busy they
 * take longer by the factor of siblings: as unequal_placed in unequal.h. If homes are not chosen by
 * speeds, it returns twice the number of threads, and a little more for a single thread beside a
 * busy sibling: an idle core is better.
 */
int64_t occupancy_work(const struct policy *policy, const struct occupancy *occupancy,
                       int processor, int more);

/* True if the processor must get a thread because it is empty. Threads that change places in turn
 * use all processors; threads that stay where they are (POLICY_STATIC) may all be better off on a
 * fast one. */
bool occupancy_needs(const struct policy *policy, const struct occupancy *occupancy, int processor);

/*
 * Returns the online processor of `domain`, or of any domain if that is NOWHERE, on which one more
 * thread of equal work would be done first. An empty one that needs a thread goes first. Among
 * equals it takes one of the emptiest domain, then the first in `processor_order`, which has one
 * hardware thread of each core before their siblings. If threads are placed one after the other
 * like this, the last of all is done as early as possible. NOWHERE if there is none.
 */
int occupancy_emptiest(const struct policy *policy, const struct occupancy *occupancy, int domain);

/* Returns the processor that is done last of the online ones of the domain that hold at least
 * `least` threads, or NOWHERE. */
int occupancy_fullest(const struct policy *policy, const struct domain *domain,
                      const struct occupancy *occupancy, int least);

#endif
