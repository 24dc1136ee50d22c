/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank's part in the protocol of stealing and termination, as a state machine: events go in,
 * actions come out. It neither moves tasks nor knows a network or a clock.
 *
 * A rank is busy while it has tasks and idle otherwise. An idle rank has one request out at a time,
 * and asks the next victim when the answer is "none". If it has lifelines, it asks a few victims,
 * then asks along each lifeline on which it does not wait already, and then is dormant: it sends no
 * request until tasks come. A victim that cannot spare a task remembers each thief that asked over
 * a lifeline, and deals to all of them when it can (PEER_SPARE). Dealt tasks may come while a
 * request is out, or when the rank has already found tasks: then it simply has more.
 *
 * A rank that is to pause begins no task any more: it keeps its tasks, counts as idle, asks for
 * nothing and gives nothing. So the end is found when each rank either pauses or has no task.
 *
 * When the termination algorithm has found that no task is left, rank 0, the root of a binary tree
 * of the ranks, sends FINISH down the tree. Each rank waits for the answer to its last request and
 * for its children, and sends QUIET to its parent. Once all ranks are quiet, the root sends EXIT
 * down the tree. QUIET and EXIT also tell all ranks how many tasks are left, and why. After that no
 * message of this epoch exists, so the next epoch starts clean: no deal can be under way when no
 * task is left.
 *
 * The network may delay messages for any time, but delivers those from one rank to another in
 * order.
 */
#ifndef JUGGLE_STEAL_PROTOCOL_PEER_H
#define JUGGLE_STEAL_PROTOCOL_PEER_H

#include "libjuggle/steal/protocol/plan.h"
#include "libjuggle/steal/protocol/termination.h"
#include "libjuggle/steal/protocol/victims.h"

enum peer_phase {
    PEER_RUNNING,
    PEER_FINISHING, /* no task is left; this rank or a rank below it awaits an answer */
    PEER_QUIET,     /* this rank awaits EXIT */
    PEER_DONE,
};

/* Bits: why ranks pause. */
enum {
    PEER_SAVE = 1, /* to save a checkpoint, and then go on */
    PEER_STOP = 2  /* to leave steal_process() */
};

/* Fields that every message needs come first and lie together; fields that only lifelines need come
 * last. */
struct peer {
    enum peer_phase phase;
    uint32_t epoch;
    bool idle;
    bool asking;             /* a request is out, or its answer is not complete */
    bool asking_lifeline;    /* that request went over a lifeline */
    bool answering_lifeline; /* the request answered last came over a lifeline */
    bool refused;            /* a victim has refused in this session */
    bool results_pending;    /* rank 0 has not taken all results of this rank: it may be idle, but
                                the end must not be found */
    bool canceled;
    uint8_t pause_reasons; /* PEER_ bits: why ranks pause, as far as known here; in the end those of
                              all ranks */
    int canceler;          /* the rank that canceled, as far as known here */
    int tries;             /* victims that it may still ask in this session */
    int tries_max;
    int rank;
    int ranks;
    int children_quiet;
    int64_t left; /* tasks held when this rank became idle, and those of children that are quiet; in
                     the end those of all ranks */
    enum steal_amount amount;
    uint32_t chunk;
    const struct termination *termination;
    struct wave wave;
    struct counts counts;
    struct peer_report {
        int64_t executed;
        uint32_t active;
    } report[TREE_FANOUT]; /* the latest report of each child */
    struct fault fault;    /* a check failed: the actions of this step must not be done */
    struct victims victims;
    struct lifelines lifelines;
};

enum peer_event_kind {
    PEER_DRY,     /* the last task here was executed, or the rank pauses and holds `left` tasks */
    PEER_MESSAGE, /* `message` arrived */
    PEER_CANCEL,  /* a task here cancels the process */
    PEER_PAUSE,   /* ranks are to pause for the reasons in message.count */
    PEER_SPARE,   /* lifeline thieves wait for tasks, and `available` tasks can be spared */
    PEER_BOUND,   /* a better bound is known here; message.peer told it, or -1 */
    PEER_GAVE,    /* a message with notes on counters was sent to message.peer */
    PEER_FREED,   /* rank 0 has taken all results of this rank */
    PEER_TICK,    /* time to report progress: this rank has executed `executed` tasks so far */
};

struct peer_event {
    enum peer_event_kind kind;
    struct message message;
    const struct change *change; /* the payload of a MESSAGE_COUNTS */
    uint32_t available; /* MESSAGE_REQUEST: tasks that can be spared; MESSAGE_COUNTERS: tasks that
                           it released */
    int64_t executed;
    int64_t left;
};

/* Bytes of memory, aligned as by malloc(), that peer_init() needs in addition. */
size_t peer_memory_size(const struct steal_properties *properties, int rank,
                        const struct places *places);

/* `places` and `memory` must outlive the peer. */
void peer_init(struct peer *peer, const struct steal_properties *properties, int rank,
               const struct places *places, void *memory);

/* Starts a new epoch. For a rank without tasks, PEER_DRY must follow at once. */
void peer_begin(struct peer *peer, uint32_t epoch, bool has_tasks);

/* Handles an event: clears `plan` and fills it with actions. Tasks that arrive make the peer busy,
 * until PEER_DRY. */
void peer_step(struct peer *peer, const struct peer_event *event, struct steal_plan *plan);

/* Called when an ACTION_GIVE is done, for each of its messages. */
void peer_gave(struct peer *peer, const struct message *message);

/* Called at the start: plans an ACTION_GIVE of up to `count` tasks to another rank. */
void peer_seed(struct peer *peer, int to, uint32_t count, struct steal_plan *plan);

/* True if lifeline thieves wait here for tasks. */
static inline bool peer_awaited(const struct peer *peer)
{
    return peer->lifelines.waiting_count > 0;
}

/* True if the rank is idle and has no request out: it sends none until tasks come. */
static inline bool peer_dormant(const struct peer *peer)
{
    return peer->phase == PEER_RUNNING && peer->idle && !peer->asking;
}

/* True if the rank has looked for work in vain; for finish counting. A rank without lifelines never
 * stops asking: it counts as quiescent after the first refusal. */
static inline bool peer_quiescent(const struct peer *peer)
{
    if (peer->results_pending)
        return false;
    return peer_dormant(peer) || (peer->idle && peer->refused && peer->lifelines.count == 0);
}

/* Progress of this rank, which has executed `executed` tasks, and of all ranks below it, as far as
 * they have reported. */
struct peer_report peer_progress(const struct peer *peer, int64_t executed);

#endif
