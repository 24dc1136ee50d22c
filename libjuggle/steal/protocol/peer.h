/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank's part in the protocol of stealing and termination, as a state machine: events go in,
 * actions come out. It neither moves tasks nor knows a network or a clock.
 *
 * A rank is busy while it has tasks and idle otherwise. An idle rank has one request out at a time,
 * and asks the next victim when the answer is "none". With lifelines it does so a few times, then
 * asks along each lifeline that is not waiting already, and then is dormant: it sends no request
 * until tasks come. A victim that has none to spare remembers who asked over a lifeline, and deals
 * to all of them when it has (PEER_SPARE). Such tasks may come while a request is out, or when the
 * rank has found others: then it simply has more.
 *
 * A rank that is to pause begins no task any more: it counts as idle with what it holds, asks for
 * nothing and gives nothing. So the end is found when all ranks pause or have nothing.
 *
 * When termination has found out that no task is left, the root of a binary tree of the ranks, rank
 * 0, says FINISH; each rank waits for the answer to its last request and says QUIET to its parent;
 * once all are quiet, the root says EXIT. With these all ranks learn how many tasks are left, and
 * why. After that no message of this epoch exists, so the next
 * one starts clean: no deal can be under way when no task is left.
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

/* Why ranks pause, as bits. */
enum {
    PEER_SAVE = 1, /* to go on */
    PEER_STOP = 2  /* to leave */
};

/* What each message needs lies together and first; what only those need who wait at lifelines is
 * last. */
struct peer {
    enum peer_phase phase;
    uint32_t epoch;
    bool idle;
    bool asking;             /* a request is out, or its answer is not complete */
    bool asking_lifeline;    /* over a lifeline */
    bool answering_lifeline; /* the request answered last came over a lifeline */
    bool refused;            /* in this session */
    bool holds; /* results of this rank are not with rank 0: it may be idle, but all is not over */
    bool canceled;
    uint8_t wishes; /* why it is to pause, as far as is known here; of all ranks in the end */
    int canceler;   /* the rank that canceled, as far as is known here */
    int tries;      /* left in this session */
    int tries_max;
    int rank;
    int ranks;
    int children_quiet;
    int64_t left; /* tasks held when it ran dry, and of the children that are quiet; of all ranks in
                     the end */
    enum steal_amount amount;
    uint32_t chunk;
    const struct termination *termination;
    struct wave wave;
    struct counts counts;
    struct peer_report {
        int64_t executed;
        uint32_t active;
    } report[TREE_FANOUT]; /* the latest of each child */
    struct fault fault;    /* a check failed: the step is not to be acted on */
    struct victims victims;
    struct lifelines lifelines;
};

enum peer_event_kind {
    PEER_DRY,     /* the last task here is executed, or it pauses and holds `left` */
    PEER_MESSAGE, /* `message` arrived */
    PEER_CANCEL,  /* a task here wants all to end */
    PEER_PAUSE,   /* message.count says why all are to pause */
    PEER_SPARE,   /* others wait for tasks, and `available` can be spared */
    PEER_BOUND,   /* a better bound is known here, which message.peer told; or -1 */
    PEER_GAVE,    /* notes on counters have left for message.peer */
    PEER_FREED,   /* it `holds` nothing any more */
    PEER_TICK,    /* time to report progress: `executed` tasks here so far */
};

struct peer_event {
    enum peer_event_kind kind;
    struct message message;
    const struct change *change; /* what follows a MESSAGE_COUNTS */
    uint32_t available;          /* tasks that can be spared, when a MESSAGE_REQUEST came; that
                                    were released by MESSAGE_COUNTERS */
    int64_t executed;
    int64_t left;
};

/* Bytes of memory, aligned as of malloc(), that the peer needs beside itself. */
size_t peer_memory_size(const struct steal_properties *properties, int rank,
                        const struct places *places);

/* The places outlive the peer. */
void peer_init(struct peer *peer, const struct steal_properties *properties, int rank,
               const struct places *places, void *memory);

/* A new epoch. A rank without tasks says so by PEER_DRY at once. */
void peer_begin(struct peer *peer, uint32_t epoch, bool has_tasks);

/* Clears and fills `plan`. Tasks that arrive make the peer busy, until PEER_DRY. */
void peer_step(struct peer *peer, const struct peer_event *event, struct steal_plan *plan);

/* Of an ACTION_GIVE: that many tasks go with the message. */
void peer_gave(struct peer *peer, const struct message *message, uint32_t count);

/* For the start: an ACTION_GIVE of up to `count` tasks to another rank. */
void peer_seed(struct peer *peer, int to, uint32_t count, struct steal_plan *plan);

/* Others wait for tasks. */
static inline bool peer_awaited(const struct peer *peer)
{
    return peer->lifelines.waiting_count > 0;
}

/* It sends no request until tasks come. */
static inline bool peer_dormant(const struct peer *peer)
{
    return peer->phase == PEER_RUNNING && peer->idle && !peer->asking;
}

/* It has looked for work in vain: for finish counting. Who never stops asking is so after the first
 * refusal. */
static inline bool peer_quiescent(const struct peer *peer)
{
    if (peer->holds)
        return false;
    return peer_dormant(peer) || (peer->idle && peer->refused && peer->lifelines.count == 0);
}

/* This rank and all below it, as far as they have reported. */
struct peer_report peer_progress(const struct peer *peer, int64_t executed);

#endif
