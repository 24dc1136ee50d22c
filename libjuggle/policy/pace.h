/* SPDX-License-Identifier: BSD-3-Clause */
/* When the next turn pays: how much of a phase is left, and how long threads may stay where they
 * are. Internal to policy/. */
#ifndef JUGGLE_POLICY_PACE_H
#define JUGGLE_POLICY_PACE_H

#include "libjuggle/policy/state.h"

/*
 * The kernel shares a processor in slices of about so long. Where three or more take turns, their
 * standings swing by as much without meaning anything.
 */
#define SLICE_NS (4 * NSEC_PER_MSEC)

/* From now to the domain's next turn, where phases are regular. */
int64_t pace_next(const struct policy *policy, const struct domain *domain);

/*
 * Where they are not: a share c / period of the time goes to turns that take c each, and a share
 * a * period / phase to waiting at the barrier for threads that differ by part of a period. The sum
 * is least at the square root of phase * c / a.
 */
int64_t pace_period(const struct policy *policy, const struct domain *domain);

#endif
