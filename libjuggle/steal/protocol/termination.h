/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding out that no task is left on any rank nor under way between two: waves of visits.
 *
 * A wave visits every rank once, while that rank is idle, and brings rank 0 the sum of their
 * balances (task messages sent less received) and whether any of them received tasks, or started
 * with tasks, since its visit before. Waves do not overlap. If a wave finds nobody dirty, every
 * rank was idle without a break from its visit before to this one, in particular at the instant
 * when this wave began; the balances were the same then, so if they add up to nothing, no task was
 * under way at that instant: there is no task any more. Nothing is assumed about how tasks travel,
 * so that tasks may also be pushed to a rank that did not ask.
 */
#ifndef JUGGLE_STEAL_PROTOCOL_TERMINATION_H
#define JUGGLE_STEAL_PROTOCOL_TERMINATION_H

#include <stdbool.h>
#include <stdint.h>

struct peer;
struct plan;
struct message;

struct wave {
    int64_t balance; /* of this rank */
    bool dirty;      /* this rank */
    bool here;       /* the wave has come and not gone */
    bool out;        /* rank 0: a wave is under way */
    int echoes;      /* children that have answered it */
    int64_t sum;     /* what it has gathered */
    bool vain;       /* it has met a dirty rank */
};

/* How a wave travels. */
struct termination {
    /* The peer is idle: starts a wave, or lets one pass. */
    void (*advance)(struct peer *peer, struct plan *plan);
    /* A MESSAGE_WAVE or MESSAGE_ECHO came. */
    void (*hear)(struct peer *peer, const struct message *message, struct plan *plan);
};

/* By enum steal_termination. */
extern const struct termination termination_table[];

#endif
