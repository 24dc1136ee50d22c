/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a domain's program is in its phase, as far as threads that wait for others show it.
 * Internal to policy/. */
#ifndef JUGGLE_POLICY_PHASE_H
#define JUGGLE_POLICY_PHASE_H

#include "libjuggle/policy/state.h"

/* Updates all standings, after samples were accounted, and notes the barrier that the samples show.
 */
void phase_observe(struct policy *policy, struct domain *domain, int64_t now_ns);

/* Forgets what is known of phases. Rests and experiments go on, and a new phase begins at the
 * greatest standing. */
static inline void phase_forget(struct juggle_domain *phase)
{
    *phase = (struct juggle_domain){.rest = phase->rest,
                                    .experiment = phase->experiment,
                                    .start_ns = phase->furthest_ns,
                                    .furthest_ns = phase->furthest_ns};
}

/* True if threads that run are known to work, and have done more work since the last barrier than
 * in several phases: the phase is then at least as long as this work, if there are phases at all.
 */
bool phase_is_long(const struct policy *policy, const struct domain *domain);

#endif
