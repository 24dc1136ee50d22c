/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a domain's program is in its phase, as far as those who wait for others show it. Internal
 * to policy/. */
#ifndef JUGGLE_POLICY_PHASE_H
#define JUGGLE_POLICY_PHASE_H

#include "libjuggle/policy/state.h"

/* Brings standings up to now, after samples were accounted; notes the barrier that they show. */
void phase_observe(struct policy *policy, struct domain *domain, int64_t now_ns);

/* Nothing is known of phases any more; rests and experiments go on, and what is done counts from
 * here. */
static inline void phase_forget(struct juggle_domain *phase)
{
    *phase = (struct juggle_domain){.rest = phase->rest,
                                    .experiment = phase->experiment,
                                    .start_ns = phase->furthest_ns,
                                    .furthest_ns = phase->furthest_ns};
}

#endif
