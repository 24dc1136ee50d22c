/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out by experiment whether turns gain anything if phases are not alike. Internal to policy/.
 */
#ifndef JUGGLE_POLICY_EXPERIMENT_H
#define JUGGLE_POLICY_EXPERIMENT_H

#include "libjuggle/policy/state.h"

/* To be called once a turn if there is no other reason to rest. True if masks are to be open: for
 * an experiment, or because the last one has shown that threads do as much work without turns. */
bool experiment_rests(const struct policy *policy, struct domain *domain, int64_t now_ns);

/* To be called instead if the domain rests for another reason: the period does not count. */
void experiment_pause(struct domain *domain);

#endif
