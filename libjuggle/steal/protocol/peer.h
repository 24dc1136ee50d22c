/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank's part in the protocol of stealing and termination, as a state machine: events go in,
 * actions come out. It neither moves tasks nor knows a network or a clock.
 *
 * A rank is busy while it has tasks and idle otherwise. An idle rank has one request out at a time,
 * and asks the next victim when the answer is "none". Waves find out that all are idle; then the
 * root of a binary tree of the ranks, rank 0, says FINISH; each rank waits for the answer to its
 * last request and says QUIET to its parent; once all are quiet, the root says EXIT. After that no
 * message of this epoch exists, so the next one starts clean.
 *
 * The network may delay messages at will, but delivers those from one rank to another in order.
 */
#ifndef JUGGLE_STEAL_PROTOCOL_PEER_H
#define JUGGLE_STEAL_PROTOCOL_PEER_H

#include "libjuggle/steal/protocol/plan.h"
#include "libjuggle/steal/protocol/termination.h"
#include "libjuggle/steal/protocol/victims.h"

enum peer_phase {
    PEER_RUNNING,
    PEER_FINISHING, /* no task is left; it awaits an answer, or its children do */
    PEER_QUIET,     /* it awaits EXIT */
    PEER_DONE,
};

struct peer {
    enum peer_phase phase;
    uint32_t epoch;
    bool idle;
    bool asking; /* a request is out, or its answer is not complete */
    bool canceled;
    int canceler; /* the rank that canceled, as far as is known here */
    int rank;
    int ranks;
    int children_quiet;
    enum steal_amount amount;
    uint32_t chunk;
    struct victims victims;
    struct wave wave;
    const struct termination *termination;
    struct peer_report {
        int64_t executed;
        uint32_t active;
    } report[TREE_FANOUT]; /* the latest of each child */
};

enum peer_event_kind {
    PEER_DRY,     /* the last task here is executed */
    PEER_MESSAGE, /* `message` arrived */
    PEER_CANCEL,  /* a task here wants all to end */
    PEER_TICK,    /* time to report progress: `executed` tasks here so far */
};

struct peer_event {
    enum peer_event_kind kind;
    struct message message;
    uint32_t available; /* tasks that can be spared, when a MESSAGE_REQUEST came */
    int64_t executed;
};

void peer_init(struct peer *peer, const struct steal_properties *properties, int rank, int ranks);

/* A new epoch. A rank without tasks says so by PEER_DRY at once. */
void peer_begin(struct peer *peer, uint32_t epoch, bool has_tasks);

/* Clears and fills `plan`. Tasks that arrive make the peer busy, until PEER_DRY. */
void peer_step(struct peer *peer, const struct peer_event *event, struct plan *plan);

/* Of an ACTION_GIVE: that many tasks go with the message. */
void peer_gave(struct peer *peer, const struct message *message, uint32_t count);

/* This rank and all below it, as far as they have reported. */
struct peer_report peer_progress(const struct peer *peer, int64_t executed);

/* For termination: appends a message; says that no task is left (rank 0). */
void peer_send(struct peer *peer, struct plan *plan, int to, enum message_kind kind, int64_t total,
               uint32_t count);
void peer_send_children(struct peer *peer, struct plan *plan, enum message_kind kind);
void peer_finish(struct peer *peer, struct plan *plan);

#endif
