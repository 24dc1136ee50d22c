/* SPDX-License-Identifier: BSD-3-Clause */
/* What is to be learned of speeds, and what decisions go by of it. Internal to policy/. */
#ifndef JUGGLE_POLICY_BELIEF_H
#define JUGGLE_POLICY_BELIEF_H

#include "libjuggle/policy/state.h"

/* In logarithms, so shares: what is of one kind. */
#define KIND_SPAN 0.08

/* What nobody tells. */
struct fit_wish belief_wish(const struct policy *policy, const struct domain *domain);

/* As it is fitted: processors are of more than one kind, or siblings slow each other. */
bool belief_in_difference(const struct policy *policy, const struct domain *domain);

/* Decisions go by what is fitted. */
void belief_take(struct policy *policy, struct domain *domain);

#endif
