/* SPDX-License-Identifier: BSD-3-Clause */
/* What it means that threads say when they wait: when a barrier opened, and what they burnt there.
 * Internal to policy/. */
#ifndef JUGGLE_POLICY_TELLING_H
#define JUGGLE_POLICY_TELLING_H

#include "libjuggle/policy/state.h"

/*
 * Of the samples that were accounted last: finds the barrier that opened, if one did
 * (`domain->told`), and who has passed it without knowing yet. Waits end there, whatever was told.
 */
void telling_account(struct policy *policy, struct domain *domain);

/* Run time of the last period, less what was burnt in waits that the thread told of. */
int64_t telling_used_ns(const struct thread *thread);

#endif
