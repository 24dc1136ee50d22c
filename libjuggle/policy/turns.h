/* SPDX-License-Identifier: BSD-3-Clause */
/* What a turn does, and when the next one pays. Internal to policy/. */
#ifndef JUGGLE_POLICY_TURNS_H
#define JUGGLE_POLICY_TURNS_H

#include "libjuggle/policy/state.h"

/* Exchanges threads with high levels on slow slots for threads with low levels on fast ones. */
void turns_exchange(struct policy *policy, struct domain *domain, struct plan *plan);

/* Returns the time until the domain's next turn. */
int64_t turns_next_ns(struct policy *policy, struct domain *domain);

#endif
