/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads each processor holds, and how long it takes with them. Internal to policy/. */
#ifndef JUGGLE_POLICY_OCCUPANCY_H
#define JUGGLE_POLICY_OCCUPANCY_H

#include "libjuggle/policy/state.h"

/* How many threads each processor holds, or shall hold. */
struct occupancy {
    int threads[MACHINE_PROCESSORS_MAX];
    int held[MACHINE_DOMAINS_MAX];
    int64_t power[MACHINE_DOMAINS_MAX]; /* of the online processors */
};

/* Of a domain; of all. Other domains are others' business while their balancers decide. */
void occupancy_count(const struct policy *policy, int domain, struct occupancy *occupancy);
void occupancy_now(const struct policy *policy, struct occupancy *occupancy);

/* The processor's, where speeds count; else RATE_ONE. */
int64_t occupancy_rate(const struct policy *policy, int processor);

/*
 * How much a processor that held `more` threads in addition, or its busiest sibling, would have to
 * do for threads of equal work, in units that its rate gets done. As long as both are busy they
 * take longer by the factor of siblings: as unequal_placed in unequal.h. Where speeds do not count,
 * the number of threads; only a core that is idle is better than the sibling of a busy one.
 */
int64_t occupancy_work(const struct policy *policy, const struct occupancy *occupancy,
                       int processor, int more);

/* Where threads change places in turn, every processor must hold one. Threads that stay where they
 * are may all be better off on a fast processor. */
bool occupancy_needs(const struct policy *policy, const struct occupancy *occupancy, int processor);

/*
 * The online processor, of that domain or with NOWHERE of any, where one more thread of equal work
 * is done first; of equals, that of the emptiest domain, then the first in `processor_order`:
 * one thread of each core, then their siblings.
 * To place one thread after the other there has the last of all done as early as can be.
 */
int occupancy_emptiest(const struct policy *policy, const struct occupancy *occupancy, int domain);

/* Of the online processors of the domain that hold at least `count` threads, the one that is done
 * last, or NOWHERE. */
int occupancy_fullest(const struct policy *policy, const struct domain *domain,
                      const struct occupancy *occupancy, int least);

#endif
