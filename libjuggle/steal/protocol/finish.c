/* SPDX-License-Identifier: BSD-3-Clause */
/* Finish counting: see termination.h. */
#include "libjuggle/steal/protocol/actions.h"

#include <string.h>

/* ---- rank 0's account ---------------------------------------------------------------------- */

static void account_open(struct counts *counts, int ranks)
{
    for (int rank = 0; rank < ranks; rank++)
        counts->count_of_rank[rank] = 1;
    counts->counts_not_zero = ranks;
}

static void account_change(struct peer *peer, const struct change *changes, uint32_t count,
                           struct steal_plan *plan)
{
    struct counts *counts = &peer->counts;

    for (uint32_t i = 0; i < count; i++) {
        const int32_t rank = changes[i].rank;
        int32_t *of_rank;

        if (!HOLDS(&peer->fault, rank >= 0 && rank < peer->ranks))
            return;
        of_rank = &counts->count_of_rank[rank];
        counts->counts_not_zero -= *of_rank != 0;
        *of_rank += changes[i].by;
        counts->counts_not_zero += *of_rank != 0;
    }
    if (counts->counts_not_zero == 0)
        peer_finish(peer, plan);
}

/* ---- every rank's part --------------------------------------------------------------------- */

static void finish_begin(struct peer *peer, bool has_tasks)
{
    (void)has_tasks;
    peer->counts.taken = 1;
    peer->counts.changes = 0;
    if (peer->rank == 0)
        account_open(&peer->counts, peer->ranks);
}

static void finish_gave(struct peer *peer, int to)
{
    struct counts *counts = &peer->counts;
    uint32_t at = 0;

    while (at < counts->changes && counts->change[at].rank != to)
        at++;
    if (!HOLDS(&peer->fault, at < COUNTS_MAX))
        return;
    if (at == counts->changes)
        counts->change[counts->changes++] = (struct change){.rank = to};
    counts->change[at].by++;
}

static void finish_took(struct peer *peer)
{
    peer->counts.taken++;
}

static void finish_report(struct peer *peer, struct steal_plan *plan)
{
    struct counts *counts = &peer->counts;
    uint32_t count = counts->changes;

    counts->changes = 0;
    if (peer->rank == 0) {
        account_change(peer, counts->change, count, plan);
        return;
    }
    memcpy(plan->change, counts->change, count * sizeof(counts->change[0]));
    peer_send(peer, plan, 0, MESSAGE_COUNTS, 0, count);
}

/* True unless there is room for all ranks that one plan may give to, and for the rank's own
 * change. */
static bool nearly_full(const struct counts *counts)
{
    return counts->changes + PLAN_MAX >= COUNTS_MAX;
}

static void finish_advance(struct peer *peer, struct steal_plan *plan)
{
    struct counts *counts = &peer->counts;

    if (!HOLDS(&peer->fault, counts->changes < COUNTS_MAX))
        return;
    if (counts->taken > 0 && peer_quiescent(peer)) {
        counts->change[counts->changes++] = (struct change){peer->rank, -(int32_t)counts->taken};
        counts->taken = 0;
        finish_report(peer, plan);
    } else if (nearly_full(counts)) {
        finish_report(peer, plan);
    }
}

static void finish_handle(struct peer *peer, const struct message *message,
                          const struct change *change, struct steal_plan *plan)
{
    account_change(peer, change, message->count, plan);
}

const struct termination finish_counting = {
    .begin = finish_begin,
    .gave = finish_gave,
    .took = finish_took,
    .advance = finish_advance,
    .handle = finish_handle,
};
