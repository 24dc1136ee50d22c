/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/lifeline_watch.h"

#include <stdlib.h>

/* The state of an edge, by the messages that were sent along it. */
enum edge_state {
    EDGE_FREE,       /* not asked, or tasks came or are coming along it */
    EDGE_ASKED,      /* the request is under way */
    EDGE_REMEMBERED, /* its far end has refused, and must remember the request */
};

struct watched {
    bool asking;   /* it has sent a request that is not answered */
    bool lifeline; /* that request went over a lifeline */
    bool dormant;  /* it was dormant when its turn began */
    int64_t taken, attempted;
    int waiting; /* edges to this rank in EDGE_REMEMBERED */
    enum edge_state edge[LIFELINES_MAX];
    int to[LIFELINES_MAX];
};

struct lifeline_watch {
    const char *wrong;
    struct watched *rank;
};

struct lifeline_watch *lifeline_watch_open(int ranks)
{
    struct lifeline_watch *watch = calloc(1, sizeof(*watch));

    watch->rank = calloc((size_t)ranks, sizeof(*watch->rank));
    return watch;
}

void lifeline_watch_close(struct lifeline_watch *watch)
{
    free(watch->rank);
    free(watch);
}

const char *lifeline_watch_wrong(const struct lifeline_watch *watch)
{
    return watch->wrong;
}

static void expect(struct lifeline_watch *watch, bool right, const char *wrong)
{
    if (!right && !watch->wrong)
        watch->wrong = wrong;
}

void lifeline_watch_begin(struct lifeline_watch *watch, int rank)
{
    struct watched *watched = &watch->rank[rank];

    for (int i = 0; i < LIFELINES_MAX; i++)
        watched->edge[i] = EDGE_FREE;
    watched->waiting = 0;
}

/* ---- messages ------------------------------------------------------------------------------ */

static enum edge_state *edge_of(struct lifeline_watch *watch, int from, int to)
{
    struct watched *watched = &watch->rank[from];

    for (int i = 0; i < LIFELINES_MAX; i++)
        if (watched->to[i] == to)
            return &watched->edge[i];
    expect(watch, false, "a lifeline leads nowhere");
    return &watched->edge[0];
}

static void edge_change(struct lifeline_watch *watch, int thief, int victim, enum edge_state before,
                        enum edge_state after, const char *wrong)
{
    enum edge_state *edge = edge_of(watch, thief, victim);

    expect(watch, *edge == before, wrong);
    watch->rank[victim].waiting += (after == EDGE_REMEMBERED) - (*edge == EDGE_REMEMBERED);
    *edge = after;
}

static void watch_request(struct lifeline_watch *watch, int thief, const struct message *message)
{
    expect(watch, !watch->rank[thief].asking, "two requests of a rank are out");
    watch->rank[thief].asking = true;
    watch->rank[thief].lifeline = message->count > 0;
    if (message->count > 0)
        edge_change(watch, thief, message->peer, EDGE_FREE, EDGE_ASKED,
                    "a lifeline was asked that had not answered");
}

static void watch_answer(struct lifeline_watch *watch, int victim, const struct message *message)
{
    struct watched *thief = &watch->rank[message->peer];

    expect(watch, thief->asking, "an answer to no request");
    thief->asking = message->total > 0;
    if (thief->lifeline && !thief->asking)
        edge_change(watch, message->peer, victim, EDGE_ASKED,
                    message->count > 0 ? EDGE_FREE : EDGE_REMEMBERED,
                    "a lifeline answered that was not asked");
}

void lifeline_watch_sent(struct lifeline_watch *watch, int from, const struct message *message)
{
    switch ((enum message_kind)message->kind) {
    case MESSAGE_REQUEST:
        watch_request(watch, from, message);
        break;
    case MESSAGE_ANSWER:
        watch_answer(watch, from, message);
        break;
    case MESSAGE_DEAL:
        if (message->total == 0)
            edge_change(watch, message->peer, from, EDGE_REMEMBERED, EDGE_FREE,
                        "tasks were dealt to one who did not wait");
        break;
    case MESSAGE_SEED:
    case MESSAGE_WAVE:
    case MESSAGE_ECHO:
    case MESSAGE_COUNTS:
    case MESSAGE_FINISH:
    case MESSAGE_QUIET:
    case MESSAGE_EXIT:
    case MESSAGE_CANCEL:
    case MESSAGE_REPORT:
    case MESSAGE_COUNTERS:
    case MESSAGE_RESULT:
    case MESSAGE_TAKEN:
    case MESSAGE_BOUND:
    case MESSAGE_BROKEN:
    case MESSAGE_PAUSE:
        break;
    }
}

/* ---- turns --------------------------------------------------------------------------------- */

void lifeline_watch_before(struct lifeline_watch *watch, const struct steal_collection *collection)
{
    const struct peer *peer = &collection->peer;
    struct watched *watched = &watch->rank[peer->rank];

    for (int i = 0; i < LIFELINES_MAX; i++)
        watched->to[i] = i < peer->lifelines.count ? peer->lifelines.to[i] : -1;
    watched->dormant = peer_dormant(peer);
    watched->taken = collection->statistics.tasks_taken;
    watched->attempted = collection->statistics.steals_attempted;
}

/* Checks that both ends of an edge have marked it as the messages say. Tasks that come along it
 * remove a mark late. */
static void expect_marks(struct lifeline_watch *watch, const struct peer *peer)
{
    const struct watched *watched = &watch->rank[peer->rank];

    for (int i = 0; i < peer->lifelines.count; i++) {
        bool asked = peer->lifelines.asked & (UINT32_C(1) << i);

        expect(watch, asked || watched->edge[i] == EDGE_FREE, "a rank forgot whom it had asked");
        expect(watch, asked || peer->canceled || peer->pause_reasons || !peer_dormant(peer),
               "a rank gave up without asking its lifelines");
    }
    expect(watch, watched->waiting == peer->lifelines.waiting_count,
           "a rank that waits was forgotten");
}

void lifeline_watch_after(struct lifeline_watch *watch, const struct steal_collection *collection)
{
    const struct peer *peer = &collection->peer;
    const struct watched *watched = &watch->rank[peer->rank];
    const struct steal_statistics *statistics = &collection->statistics;

    if (watched->dormant && statistics->tasks_taken == watched->taken)
        expect(watch, statistics->steals_attempted == watched->attempted,
               "a rank that waits at its lifelines sent a request");
    if (peer->phase == PEER_RUNNING)
        expect_marks(watch, peer);
}
