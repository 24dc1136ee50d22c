/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank's part in balancing by how long tasks took before (retentive stealing paper, Algorithms
 * 1 and 2), as a state machine: it is told of messages that arrived, and sends through its ports.
 * It neither holds tasks nor uses a network, a clock or the heap.
 *
 *     REPORT    up      the loads of the ranks below
 *     AVERAGE   down    the load of all ranks, and whether it pays to go on
 *     POOL      up      tokens of tasks that overloaded ranks give away; each node deals the
 *                       longest of them to those of its children that have less than D times the
 *                       average, until none has
 *     GIVE      down    all remaining tokens, the longest to the child with the least average
 *     VERDICT   up      the greatest load that this would make
 *     DECISION  down    yes, if that is less than the greatest load before, and no rank failed
 *     CLAIM             a rank that got a token asks the task's owner for the task
 *
 * Only tokens travel up and down the tree; a task is sent once, directly from its old to its new
 * rank. Loads are true nanoseconds, never those of bins, so that the total load of all ranks stays
 * exactly the same. Messages may be delayed for any time; those from one rank to another arrive in
 * order.
 */
#ifndef JUGGLE_STEAL_PLACEMENT_BALANCER_H
#define JUGGLE_STEAL_PLACEMENT_BALANCER_H

#include "libjuggle/steal/placement/donation.h"
#include "libjuggle/steal/placement/tree_node.h"

#include <stdbool.h>

enum balance_kind {
    BALANCE_REPORT,
    BALANCE_AVERAGE,
    BALANCE_POOL,
    BALANCE_GIVE,
    BALANCE_VERDICT,
    BALANCE_DECISION,
    BALANCE_CLAIM,
    BALANCE_TASKS, /* the answer to a claim; sent by the caller of this state machine */
};

/* Many tokens are sent as several messages, which have the same totals and of which only the last
 * has `last` set: see send(). */
struct balance_message {
    int32_t peer;   /* the receiver; in a received message, the sender */
    int32_t kind;   /* enum balance_kind */
    int32_t depth;  /* depth of the receiver in the tree */
    int32_t branch; /* on the way up: index of the sender among the receiver's children */
    bool last;
    uint32_t count;
    const struct token *tokens; /* valid during the call */
    struct balance_totals totals;
};

struct balancer_options {
    double donate_above; /* C */
    double fill_below;   /* D */
    int64_t gain_min_ns; /* balancing goes on only if the greatest load is above the average by more
                            than this */
};

/* What a rank must do for its balancer. Functions return -errno on failure. */
struct balancer_ports {
    void *context;
    /* Makes room for `count` tokens in a pool, and keeps the tokens in it. */
    int (*grow)(void *context, struct pool *pool, uint32_t count);
    /* Fills the pool with tokens of the tasks to give away. */
    int (*donate)(void *context, const struct donation *donation, struct pool *pool);
    /* Checks that there is room for that many tasks to arrive. */
    int (*admit)(void *context, uint32_t arrivals);
    /* Sends a message, in several parts if needed: only the last part has `last` set, and no part
     * lacks tokens unless the message has none. */
    int (*send)(void *context, const struct balance_message *message);
    /* Sends the tasks of these tokens to a rank. */
    int (*yield)(void *context, int to, const struct token *tokens, uint32_t count);
};

struct balancer {
    struct shape shape;
    struct balancer_options options;
    struct balancer_ports ports;
    int rank;
    int tree_nodes; /* number of tree nodes; the last one is the leaf */
    struct tree_node tree_node[TREE_NODES_MAX];
    bool decided;
    int error;                      /* the first error on this rank */
    int64_t owed;                   /* tasks of this rank that other ranks will claim */
    int64_t awaited;                /* tasks that were claimed and have not arrived */
    struct balance_totals decision; /* once decided: the totals of all ranks */
};

/* Bytes of memory that balancer_init() needs for a rank. */
size_t balancer_memory_size(const struct shape *shape, int rank);

/* `memory`, aligned as by malloc(), and the arrays of `shape` must outlive the balancer. Its pools
 * grow only through the port, and the caller frees them. */
void balancer_init(struct balancer *balancer, const struct shape *shape, int rank,
                   const struct balancer_options *options, const struct balancer_ports *ports,
                   void *memory);

/* Starts balancing with the tasks of this rank: `known` of them have a prediction, `known_ns` in
 * sum, and `unmeasured` have none. */
void balancer_begin(struct balancer *balancer, int64_t known_ns, int64_t known, int64_t unmeasured);

/* Handles any message but BALANCE_TASKS. Its tokens may lie in a pool of the same balancer. */
void balancer_handle(struct balancer *balancer, const struct balance_message *message);

/* `count` tasks that this rank claimed have arrived. */
void balancer_arrived(struct balancer *balancer, uint32_t count);

/* True if no message will be received or sent any more: it is decided, and if tasks move, all of
 * them have moved. */
bool balancer_over(const struct balancer *balancer);

#endif
