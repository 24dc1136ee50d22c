/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows if threads say when they wait: when a barrier opened, and what they burnt there.
 * Internal to policy/. */
#ifndef JUGGLE_POLICY_TELLING_H
#define JUGGLE_POLICY_TELLING_H

#include "libjuggle/policy/state.h"

/*
 * Finds in the samples that were accounted last the barrier that opened, if one did
 * (`domain->told`), and the threads that have passed it but do not know yet (`released`).
 */
void telling_account(struct policy *policy, struct domain *domain);

/* Returns the run time of the last period, less what the thread must have burnt in waits that it
 * told of. */
static inline int64_t telling_used_ns(const struct thread *thread)
{
    return min_i64(thread->run_ns, thread->elapsed_ns - thread->told_ns);
}

#endif
