/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether turns bring anything where phases are not alike: by experiment. Internal to policy/. */
#ifndef JUGGLE_POLICY_EXPERIMENT_H
#define JUGGLE_POLICY_EXPERIMENT_H

#include "libjuggle/policy/state.h"

/*
 * To be asked once a turn where nothing else speaks for a rest. True: the masks are to be open, for
 * an experiment, or as the last one has shown that threads do as much without turns.
 */
bool experiment_rests(const struct policy *policy, struct domain *domain, int64_t now_ns);

/* The domain rests for another reason: the period does not count. */
void experiment_pause(struct domain *domain);

#endif
