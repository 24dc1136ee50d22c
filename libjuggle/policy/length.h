/* SPDX-License-Identifier: BSD-3-Clause */
/* How long phases are, by the barriers that are seen. Internal to policy/. */
#ifndef JUGGLE_POLICY_LENGTH_H
#define JUGGLE_POLICY_LENGTH_H

#include "libjuggle/policy/state.h"

/* Nothing is known of phases any more; rests and experiments go on. */
void length_forget(struct juggle_domain *phase);

bool length_is_near(int64_t seen_ns, int64_t known_ns);

/* A barrier opened; everybody stood at `end_ns` then. */
void length_learn(struct juggle_domain *phase, int64_t opened_ns, int64_t end_ns);

#endif
