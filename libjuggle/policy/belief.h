/* SPDX-License-Identifier: BSD-3-Clause */
/* Which speeds have to be learned, and when decisions use what was learned. Internal to policy/. */
#ifndef JUGGLE_POLICY_BELIEF_H
#define JUGGLE_POLICY_BELIEF_H

#include "libjuggle/policy/state.h"

/* Processors are of one kind if the logarithms of their speeds differ by at most this: about 8 %.
 */
#define KIND_SPAN 0.08

/* Returns what has to be learned because struct machine does not tell it. */
struct fit_wish belief_wish(const struct policy *policy, const struct domain *domain);

/* True if the fitted speeds are of more than one kind, or siblings slow each other. */
bool belief_in_difference(const struct policy *policy, const struct domain *domain);

/* From now on decisions use the fitted speeds. */
void belief_take(struct policy *policy, struct domain *domain);

#endif
