/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether turns can pay at all. If they cannot, masks are open and the kernel decides. Internal to
 * policy/. */
#ifndef JUGGLE_POLICY_REST_H
#define JUGGLE_POLICY_REST_H

#include "libjuggle/policy/state.h"

/*
 * To be called once a turn, after rates were updated. Returns PERIOD_RESTING if no thread waits for
 * a processor, or an experiment has shown that turns gain nothing; PERIOD_SHORT if phases are too
 * short; PERIOD_SPUN if threads stay pinned without turns; PERIOD_LEARNED or PERIOD_BLIND if there
 * are turns.
 */
enum period_reason rest_reason(const struct policy *policy, struct domain *domain, int64_t now_ns);

/* Returns the time until the next look. */
int64_t rest_period(const struct domain *domain);

/* rest_begin() opens the masks of the domain's threads; rest_end() pins each thread to the
 * processor where it is. */
void rest_begin(struct policy *policy, struct domain *domain, struct plan *plan);
void rest_end(struct policy *policy, struct domain *domain, struct plan *plan);

#endif
