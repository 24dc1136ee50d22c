/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that no rank of the protocol sends are refused, and the reason is named for each
 * kind. */
#include "tests/lib/suite.h"

#include "libjuggle/steal/protocol/message_check.h"

#include <string.h>

enum { RANKS = 7, SELF = 1, PARENT = 0, CHILD = 3, OTHER = 6, EPOCH = 4, TASKS_MAX = 10 };

/* A peer in the middle of the tree, which waits for the answer to a request. */
static const struct peer waiting = {.phase = PEER_RUNNING,
                                    .epoch = EPOCH,
                                    .idle = true,
                                    .asking = true,
                                    .rank = SELF,
                                    .ranks = RANKS};
static const struct peer busy = {
    .phase = PEER_RUNNING, .epoch = EPOCH, .rank = SELF, .ranks = RANKS};
static const struct peer finishing = {
    .phase = PEER_FINISHING, .epoch = EPOCH, .idle = true, .rank = SELF, .ranks = RANKS};
static const struct peer finishing_asks = {.phase = PEER_FINISHING,
                                           .epoch = EPOCH,
                                           .idle = true,
                                           .asking = true,
                                           .rank = SELF,
                                           .ranks = RANKS};
static const struct peer quiet = {
    .phase = PEER_QUIET, .epoch = EPOCH, .idle = true, .rank = SELF, .ranks = RANKS};
static const struct peer root = {
    .phase = PEER_RUNNING, .epoch = EPOCH, .idle = true, .rank = 0, .ranks = RANKS};

#define MESSAGE(whom, what, ...)                                    \
    (struct message)                                                \
    {                                                               \
        .peer = (whom), .kind = (what), .epoch = EPOCH, __VA_ARGS__ \
    }

static bool taken(const struct peer *peer, struct message message, const char **text)
{
    static struct fault fault;

    fault = (struct fault){0};
    const bool holds = message_check(peer, &message, TASKS_MAX, &fault);
    *text = fault_text(&fault);
    ck_assert_int_eq(holds, !*text);
    return holds;
}

START_TEST(what_ranks_send_is_taken)
{
    const struct {
        const struct peer *peer;
        struct message message;
    } sent[] = {
        {&busy, MESSAGE(OTHER, MESSAGE_REQUEST, .count = 1)},
        {&waiting, MESSAGE(OTHER, MESSAGE_ANSWER)},
        {&waiting, MESSAGE(OTHER, MESSAGE_ANSWER, .count = TASKS_MAX, .total = 5)},
        {&finishing_asks, MESSAGE(OTHER, MESSAGE_ANSWER)},
        {&waiting, MESSAGE(OTHER, MESSAGE_DEAL, .count = 1)},
        {&busy, MESSAGE(PARENT, MESSAGE_SEED, .count = 3)},
        {&waiting, MESSAGE(PARENT, MESSAGE_WAVE)},
        {&waiting, MESSAGE(CHILD, MESSAGE_ECHO)},
        {&root, MESSAGE(OTHER, MESSAGE_COUNTS, .count = 2)},
        {&waiting, MESSAGE(PARENT, MESSAGE_FINISH)},
        {&finishing, MESSAGE(CHILD, MESSAGE_QUIET)},
        {&quiet, MESSAGE(PARENT, MESSAGE_EXIT)},
        {&busy, MESSAGE(CHILD, MESSAGE_CANCEL, .total = OTHER)},
        {&busy, MESSAGE(CHILD, MESSAGE_REPORT, .count = 3, .total = 100)},
        {&busy, MESSAGE(OTHER, MESSAGE_COUNTERS, .count = 1)},
        {&root, MESSAGE(OTHER, MESSAGE_RESULT, .count = 1, .total = 8)},
        {&busy, MESSAGE(PARENT, MESSAGE_TAKEN)},
        {&busy, MESSAGE(PARENT, MESSAGE_BOUND)},
        {&quiet, MESSAGE(CHILD, MESSAGE_BROKEN, .total = OTHER)},
        {&busy, MESSAGE(CHILD, MESSAGE_PAUSE, .count = PEER_STOP)},
        {&quiet, MESSAGE(PARENT, MESSAGE_EXIT, .count = PEER_SAVE, .total = 7)},
    };
    const char *text;

    for (size_t i = 0; i < ARRAY_COUNT(sent); i++)
        ck_assert_msg(taken(sent[i].peer, sent[i].message, &text), "%zu: %s", i, text);
}

START_TEST(what_no_rank_sends_is_refused)
{
    const struct {
        const struct peer *peer;
        struct message message;
        const char *check;
    } sent[] = {
        {&busy, MESSAGE(-1, MESSAGE_REQUEST), "message->peer >= 0"},
        {&busy, MESSAGE(RANKS, MESSAGE_REQUEST), "message->peer < peer->ranks"},
        {&busy, {.peer = OTHER, .kind = MESSAGE_REQUEST, .epoch = EPOCH - 1}, "epoch"},
        {&busy, MESSAGE(OTHER, MESSAGE_BROKEN + 1), "message->kind <= MESSAGE_BROKEN"},
        {&busy, MESSAGE(SELF, MESSAGE_REQUEST), "message->peer != peer->rank"},
        {&busy, MESSAGE(OTHER, MESSAGE_REQUEST, .count = 2), "message->count <= 1"},
        {&busy, MESSAGE(OTHER, MESSAGE_ANSWER), "peer->asking"},
        {&waiting, MESSAGE(OTHER, MESSAGE_ANSWER, .count = TASKS_MAX + 1), "tasks_max"},
        {&waiting, MESSAGE(OTHER, MESSAGE_ANSWER, .count = 1, .total = -1), "message->total >= 0"},
        {&waiting, MESSAGE(OTHER, MESSAGE_ANSWER, .total = 1), "message->total == 0"},
        {&finishing_asks, MESSAGE(OTHER, MESSAGE_ANSWER, .count = 1), "PEER_RUNNING"},
        {&waiting, MESSAGE(OTHER, MESSAGE_DEAL), "message->count > 0"},
        {&quiet, MESSAGE(OTHER, MESSAGE_DEAL, .count = 1), "PEER_RUNNING"},
        {&quiet, MESSAGE(PARENT, MESSAGE_WAVE), "PEER_RUNNING"},
        {&waiting, MESSAGE(OTHER, MESSAGE_ECHO), "tree_parent(message->peer) == peer->rank"},
        {&waiting, MESSAGE(OTHER, MESSAGE_COUNTS), "peer->rank == 0"},
        {&root, MESSAGE(OTHER, MESSAGE_COUNTS, .count = COUNTS_MAX + 1), "COUNTS_MAX"},
        {&waiting, MESSAGE(CHILD, MESSAGE_FINISH), "tree_parent(peer->rank)"},
        {&root, MESSAGE(CHILD, MESSAGE_FINISH), "peer->rank > 0"},
        {&busy, MESSAGE(PARENT, MESSAGE_FINISH), "peer->idle"},
        {&finishing, MESSAGE(PARENT, MESSAGE_FINISH), "PEER_RUNNING"},
        {&finishing, MESSAGE(PARENT, MESSAGE_QUIET), "message->peer > 0"},
        {&busy, MESSAGE(CHILD, MESSAGE_QUIET), "PEER_FINISHING"},
        {&finishing, MESSAGE(PARENT, MESSAGE_EXIT), "PEER_QUIET"},
        {&busy, MESSAGE(OTHER, MESSAGE_CANCEL), "tree_parent"},
        {&busy, MESSAGE(CHILD, MESSAGE_CANCEL, .total = RANKS), "message->total < peer->ranks"},
        {&busy, MESSAGE(CHILD, MESSAGE_REPORT, .total = -1), "message->total >= 0"},
        {&busy, MESSAGE(CHILD, MESSAGE_REPORT, .count = RANKS + 1), "peer->ranks"},
        {&busy, MESSAGE(OTHER, MESSAGE_COUNTERS), "message->count > 0"},
        {&busy, MESSAGE(OTHER, MESSAGE_RESULT), "peer->rank == 0"},
        {&busy, MESSAGE(OTHER, MESSAGE_TAKEN), "message->peer == 0"},
        {&busy, MESSAGE(OTHER, MESSAGE_BOUND), "tree_parent"},
        {&busy, MESSAGE(OTHER, MESSAGE_BROKEN), "tree_parent"},
        {&busy, MESSAGE(CHILD, MESSAGE_BROKEN, .total = RANKS), "message->total < peer->ranks"},
        {&busy, MESSAGE(CHILD, MESSAGE_PAUSE), "message->count > 0"},
        {&busy, MESSAGE(CHILD, MESSAGE_PAUSE, .count = 4), "PEER_STOP"},
    };
    const char *text;

    for (size_t i = 0; i < ARRAY_COUNT(sent); i++) {
        ck_assert_msg(!taken(sent[i].peer, sent[i].message, &text), "%zu: %s", i, sent[i].check);
        ck_assert_msg(strstr(text, sent[i].check), "%zu: %s is not of %s", i, text, sent[i].check);
    }
}

START_TEST(nobody_is_quiet_twice)
{
    struct peer peer = finishing;
    const char *text;

    peer.children_quiet = 2;
    ck_assert(!taken(&peer, MESSAGE(CHILD, MESSAGE_QUIET), &text));
    peer = waiting;
    peer.wave.here = true;
    ck_assert(!taken(&peer, MESSAGE(PARENT, MESSAGE_WAVE), &text));
    peer.wave.echoes = 2;
    ck_assert(!taken(&peer, MESSAGE(CHILD, MESSAGE_ECHO), &text));
}

SUITE("message check")
