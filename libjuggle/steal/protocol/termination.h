/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds out that no task is left on any rank, nor under way between two ranks. Nothing is assumed
 * about how tasks travel: they may also go to a rank that did not ask.
 *
 * Waves: a wave visits every rank once, while that rank is idle, and brings rank 0 the sum of the
 * ranks' balances (messages with tasks that a rank sent, minus those that it received), and whether
 * any rank is dirty, that is, received tasks, or started with tasks, since the visit before. Waves
 * do not overlap. If a wave finds no dirty rank, every rank was idle without a break from the visit
 * before to this one, and so at the instant when this wave began. The balances were the same at
 * that instant; if their sum is zero, no task was under way then, and there is no task any more.
 *
 * A rank counts as busy here, even without tasks, until rank 0 has taken all its results. So no
 * result is under way at the end, and results need not be counted.
 *
 * Finish counting (lifeline paper, section 1): rank 0 keeps, for each rank, the number of messages
 * with tasks that it knows were sent to that rank, plus one for its start, minus those that the
 * rank has reported as taken. A rank reports how many it sent to which rank, and how many it took,
 * when it has found no work; it says nothing while it is busy. When all counts are zero, no task is
 * left. Proof: assume that some rank takes tasks after its latest report, and choose the first such
 * instant. The sender sent these tasks before its own latest report; otherwise it would itself have
 * taken tasks after its latest report, at an earlier instant. So rank 0 knows of these tasks, and
 * likewise of all tasks that the rank took before. Then the rank's count is not zero. A busy rank
 * also reports when its list of receivers is full; this only raises counts.
 */
#ifndef JUGGLE_STEAL_PROTOCOL_TERMINATION_H
#define JUGGLE_STEAL_PROTOCOL_TERMINATION_H

#include "libjuggle/steal/protocol/plan.h"

#include <stdbool.h>

struct peer;

struct wave {
    int64_t balance; /* messages with tasks that this rank sent, minus those that it received */
    bool dirty;      /* this rank has received tasks, or started with tasks, since the last visit */
    bool here;       /* the wave has come, and waits until this rank is idle */
    bool out;        /* rank 0: a wave is under way */
    bool vain;       /* the wave has met a dirty rank */
    int echoes;      /* children that have answered it */
    int64_t sum;     /* the sum of the balances gathered so far */
};

struct counts {
    uint32_t taken; /* messages with tasks taken since the latest report, and one for the start */
    uint32_t changes;
    struct change *change;   /* messages sent since then, by receiver: at most COUNTS_MAX entries */
    int32_t *count_of_rank;  /* rank 0: the count of each rank */
    int64_t counts_not_zero; /* rank 0: the number of counts that are not zero */
};

/* An algorithm that finds the end. */
struct termination {
    void (*begin)(struct peer *peer, bool has_tasks);
    /* Tasks were sent to another rank; tasks have come. */
    void (*gave)(struct peer *peer, int to);
    void (*took)(struct peer *peer);
    /* Called after each event while the process runs: starts a wave, passes one on, or reports. */
    void (*advance)(struct peer *peer, struct steal_plan *plan);
    /* A message of the algorithm came, with the changes that follow it. */
    void (*handle)(struct peer *peer, const struct message *message, const struct change *change,
                   struct steal_plan *plan);
};

extern const struct termination tree_waves, ring_waves, finish_counting;

#endif
