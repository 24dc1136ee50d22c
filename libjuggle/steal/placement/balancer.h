/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank's part in balancing by what tasks took before (retentive stealing paper, Algorithms 1
 * and 2), as a state machine: it is told what arrived, and calls its ports to send. It neither
 * holds tasks nor knows a network, a clock or the heap.
 *
 *     REPORT    up      what the ranks below are loaded with
 *     AVERAGE   down    what all are loaded with, and whether it pays to go on
 *     POOL      up      tokens of tasks that overloaded ranks give away; each node deals the
 *                       longest of them to those of its children that have less than D times the
 *                       average, until none has
 *     GIVE      down    all tokens that are left, the longest to the child that has least
 *     VERDICT   up      the greatest load that this would make
 *     DECISION  down    do it, if that is less than the greatest load before, and all have room
 *     CLAIM             a rank that got a token asks the task's owner for it
 *
 * Up and down the tree travel tokens only; a task goes once, straight from its old to its new rank.
 * Loads are true nanoseconds, never those of bins: what all ranks have together stays the same to
 * the last one. Messages may be delayed at will; those from one rank to another arrive in order.
 */
#ifndef JUGGLE_STEAL_PLACEMENT_BALANCER_H
#define JUGGLE_STEAL_PLACEMENT_BALANCER_H

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
    BALANCE_TASKS, /* the answer to a claim, which the user of this sends */
};

/* With many tokens, several messages with the same totals but for `last`: see send(). */
struct balance_message {
    int32_t peer;   /* whom it goes to; once received, whom it came from */
    int32_t kind;   /* enum balance_kind */
    int32_t depth;  /* of the receiver in the tree */
    int32_t branch; /* up: which child of the receiver it comes from */
    bool last;
    uint32_t count;
    const struct token *tokens; /* valid during the call */
    struct balance_totals totals;
};

struct balancer_options {
    double donate_above; /* C */
    double fill_below;   /* D */
    int64_t gain_min_ns; /* what the greatest load must be above the average, to go on */
};

/* What a rank must do for its balancer. Functions that fail return -errno. */
struct balancer_ports {
    void *context;
    /* Room for `count` tokens in a pool; what is in it stays. */
    int (*grow)(void *context, struct pool *pool, uint32_t count);
    /* Fills the pool with the tasks to give away: a rank keeps `keep_ns` of its `load_ns`. */
    int (*donate)(void *context, const struct balance_totals *total, int64_t average_ns,
                  int64_t load_ns, int64_t keep_ns, struct pool *pool);
    /* Whether there is room for that many arrivals. */
    int (*admit)(void *context, uint32_t arrivals);
    /* Sends a message, if that must be in parts: none without tokens, `last` set in the last. */
    int (*send)(void *context, const struct balance_message *message);
    /* Sends the tasks of these tokens to a rank. */
    int (*yield)(void *context, int to, const struct token *tokens, uint32_t count);
};

struct balancer {
    struct shape shape;
    struct balancer_options options;
    struct balancer_ports ports;
    int rank;
    int tree_nodes; /* the last one is the leaf */
    struct tree_node tree_node[TREE_NODES_MAX];
    bool decided;
    int error;                      /* of this rank, the first */
    int64_t owed;                   /* tasks that others will claim here */
    int64_t awaited;                /* tasks that were claimed and have not arrived */
    struct balance_totals decision; /* of all, once decided; load_ns: of all ranks */
};

/* Bytes that balancer_init() needs for a rank. */
size_t balancer_memory_size(const struct shape *shape, int rank);

/* `memory`, aligned as by malloc(), and what `shape` points to outlive the balancer; its pools are
 * grown through the port alone and are the user's to free. */
void balancer_init(struct balancer *balancer, const struct shape *shape, int rank,
                   const struct balancer_options *options, const struct balancer_ports *ports,
                   void *memory);

/* The rank takes part with its tasks: `known` of them have a prediction, `known_ns` in all, and
 * `unmeasured` have none. */
void balancer_begin(struct balancer *balancer, int64_t known_ns, int64_t known, int64_t unmeasured);

/* Any message but BALANCE_TASKS. Its tokens may lie in a pool of the same balancer. */
void balancer_hear(struct balancer *balancer, const struct balance_message *message);

/* Tasks that were claimed have arrived. */
void balancer_arrived(struct balancer *balancer, uint32_t count);

/* Nothing will be heard or sent any more: decided, and if tasks move, all have. */
bool balancer_over(const struct balancer *balancer);

#endif
