/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding out that no task is left on any rank nor under way between two. Nothing is assumed about
 * how tasks travel, so that they may also go to a rank that did not ask.
 *
 * Waves: a wave visits every rank once, while that rank is idle, and brings rank 0 the sum of their
 * balances (messages with tasks sent less received) and whether any of them received tasks, or
 * started with tasks, since its visit before. Waves do not overlap. If a wave finds nobody dirty,
 * every rank was idle without a break from its visit before to this one, in particular at the
 * instant when this wave began; the balances were the same then, so if they add up to nothing, no
 * task was under way at that instant: there is no task any more.
 *
 * A rank whose results are not all with rank 0 counts as busy here, whether it has tasks or not:
 * no result is under way when all is over, and results need not be counted.
 *
 * Finish counting (lifeline paper, section 1): rank 0 keeps, for each rank, how many messages with
 * tasks are known to have left for it, and one for its start, less those that it has taken. A rank
 * reports what it sent to whom and what it took when it has found no work, and says nothing while
 * it is busy. Once all counts are zero, all is over. For let there be a rank that takes tasks after
 * its latest report, and choose the first such instant. Who sent these tasks did so before its own
 * latest report, or it would have taken tasks after it, and earlier; so rank 0 knows of them, and
 * likewise of all tasks that the rank took before. Then its count is not zero. What a busy rank
 * reports of its sending, because its list is full, only raises counts.
 */
#ifndef JUGGLE_STEAL_PROTOCOL_TERMINATION_H
#define JUGGLE_STEAL_PROTOCOL_TERMINATION_H

#include "libjuggle/steal/protocol/plan.h"

#include <stdbool.h>

struct peer;

struct wave {
    int64_t balance; /* of this rank */
    bool dirty;      /* this rank */
    bool here;       /* the wave has come and not gone */
    bool out;        /* rank 0: a wave is under way */
    bool vain;       /* it has met a dirty rank */
    int echoes;      /* children that have answered it */
    int64_t sum;     /* what it has gathered */
};

struct counts {
    uint32_t taken; /* messages with tasks, and the start, since the latest report */
    uint32_t changes;
    struct change *change; /* what was sent to whom since then: COUNTS_MAX at most */
    int32_t *open;         /* rank 0: of each rank */
    int64_t ranks_open;    /* rank 0: how many of them are not zero */
};

/* How the end is found. */
struct termination {
    void (*begin)(struct peer *peer, bool has_tasks);
    /* Tasks have left for another rank; tasks have come. */
    void (*gave)(struct peer *peer, int to);
    void (*took)(struct peer *peer);
    /* After each event while the process runs: starts a wave, lets one pass, reports. */
    void (*advance)(struct peer *peer, struct steal_plan *plan);
    /* One of its own messages came, with the changes that follow it. */
    void (*hear)(struct peer *peer, const struct message *message, const struct change *change,
                 struct steal_plan *plan);
};

extern const struct termination tree_waves, ring_waves, finish_counting;

#endif
