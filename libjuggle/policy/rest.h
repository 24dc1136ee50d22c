/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether turns can pay at all; where they cannot, masks are open and the kernel decides. Internal
 * to policy/. */
#ifndef JUGGLE_POLICY_REST_H
#define JUGGLE_POLICY_REST_H

#include "libjuggle/policy/state.h"

/*
 * To be asked once a turn, after rates were updated. PERIOD_RESTING: nobody waits for a processor,
 * or an experiment says that turns bring nothing; PERIOD_SHORT: phases are too short; PERIOD_SPUN:
 * pinned, without turns; PERIOD_LEARNED, PERIOD_BLIND: turns.
 */
enum period_reason rest_reason(const struct policy *policy, struct domain *domain, int64_t now_ns);

/* From now to the next look. */
int64_t rest_period(const struct domain *domain);

/* Opens the masks of the domain's threads; or pins each to where it is. */
void rest_begin(struct policy *policy, struct domain *domain, struct plan *plan);
void rest_end(struct policy *policy, struct domain *domain, struct plan *plan);

#endif
