/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/peer_check.h"

static bool lifelines_hold(const struct lifelines *lifelines, struct fault *fault)
{
    return HOLDS(fault, lifelines->count >= 0 && lifelines->count <= LIFELINES_MAX) &&
           HOLDS(fault, lifelines->next >= 0 && lifelines->next <= lifelines->count) &&
           HOLDS(fault, lifelines->asked >> lifelines->count == 0) &&
           HOLDS(fault, lifelines->waiting_count >= 0) &&
           HOLDS(fault, lifelines->waiting_count <= LIFELINES_MAX);
}

static bool termination_holds(const struct peer *peer, struct fault *fault)
{
    const int children = tree_children(peer->rank, peer->ranks);
    const struct counts *counts = &peer->counts;

    return HOLDS(fault, peer->wave.echoes >= 0 && peer->wave.echoes <= children) &&
           HOLDS(fault, counts->changes <= COUNTS_MAX) &&
           HOLDS(fault, counts->counts_not_zero >= 0 && counts->counts_not_zero <= peer->ranks) &&
           HOLDS(fault, peer->children_quiet >= 0 && peer->children_quiet <= children);
}

/* A rank whose results are not all with rank 0 does not reach the end. A quiet rank awaits no
 * answer, and is idle. */
static bool phase_holds(const struct peer *peer, struct fault *fault)
{
    return HOLDS(fault, peer->phase <= PEER_DONE) &&
           (peer->phase < PEER_FINISHING || HOLDS(fault, !peer->results_pending)) &&
           (peer->phase < PEER_QUIET || (HOLDS(fault, !peer->asking) && HOLDS(fault, peer->idle)));
}

bool peer_check(struct peer *peer, const struct steal_plan *plan)
{
    struct fault *fault = &peer->fault;

    return fault_text(fault) == NULL && HOLDS(fault, plan->count >= 0 && plan->count <= PLAN_MAX) &&
           phase_holds(peer, fault) && termination_holds(peer, fault) &&
           lifelines_hold(&peer->lifelines, fault) && HOLDS(fault, peer->left >= 0) &&
           HOLDS(fault, peer->pause_reasons <= (PEER_SAVE | PEER_STOP)) &&
           HOLDS(fault, peer->canceler >= 0 && peer->canceler < peer->ranks);
}
