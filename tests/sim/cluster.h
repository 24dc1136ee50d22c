/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many ranks of the stealing runtime on the in-process network, walking a tree, watched by a
 * checker that knows everything: no node is visited twice, and no rank believes that all is done
 * while a task exists.
 */
#ifndef JUGGLE_TESTS_CLUSTER_H
#define JUGGLE_TESTS_CLUSTER_H

#include "libjuggle/steal.h"
#include "libjuggle/steal/protocol/places.h"
#include "tools/steal-sim/machine.h"

#include <stdbool.h>

/* The tree that is walked. Node i has the children first[i], first[i] + 1, ...; node 0 is the root.
 */
struct forest {
    uint32_t nodes;
    uint32_t *first;
    uint16_t *children;
    uint16_t *leaves; /* further children, which are only counted; NULL: there are none */
};

extern struct forest forest;

/* Room for so many nodes, in place of the last tree. */
void forest_clear(uint32_t nodes_max, bool leaves);

/* A binomial tree, more or less: the root has `roots` children, others have m with probability q.
 * Stops before nodes_max. */
void forest_grow_shape(uint32_t roots, int m, double q, uint32_t nodes_max);

/* One that goes on until it stops: 200 roots, eight children with a probability of 0.128. */
void forest_grow(uint32_t nodes_max);

struct cluster_settings {
    int ranks;
    uint64_t seed;               /* of latencies, jitter and start times */
    int64_t latency_ns;          /* between neighbors; grows with the distance between ranks, or */
    int64_t hop_ns;              /* by so much for each unit of the distance of `places` */
    const struct places *places; /* NULL: each rank on a node of its own */
    const struct simulated_machine
        *machine; /* of so many ranks: says all of the above but jitter; or NULL */
    int64_t jitter_ns;
    int64_t stall_ns;                   /* of one message in 30 */
    int64_t task_ns;                    /* what a node takes */
    int64_t start_ns;                   /* ranks begin up to so much apart */
    struct steal_properties properties; /* without function; task_size 0: that of a node */
    int rounds;                         /* process(), then restore() and so on; at least 1 */
    bool scatter;                       /* every node is seeded somewhere, and no task adds any */
    bool barren;                        /* no rank has a task */
    uint32_t cancel_node;               /* whose visitor cancels, 0: none */
    bool expand; /* the rank with the root executes some tasks first and deals them out */
    /* Each visit does this, too; NULL: nothing. */
    void (*visited)(struct steal_worker *worker, struct steal_collection *here, uint64_t node);
    /* Of tasks that wait: for how many others; NULL: each for two calls of whoever adds it. */
    int64_t (*needs)(uint64_t node);
    /* So many visits after the run began, or after it went on, all pause; then as many ranks go on
     * as `resume_ranks` says, from what the others have left, or the same if that is 0. 0: never.
     */
    int64_t pause_every;
    int resume_ranks;
    bool relay; /* tasks add their children to a second collection, which is processed next */
};

/* Ranks that take a microsecond for a node and begin apart, on a network with delays. */
struct cluster_settings cluster_basic(int ranks, uint64_t seed);

/* Runs it with each termination, without lifelines and with two. */
void cluster_each_termination(struct cluster_settings settings,
                              void (*run)(const struct cluster_settings *settings));

struct cluster_result {
    int64_t visited;
    int64_t leaves;
    int64_t executed;
    int64_t attempted;
    int64_t successful;
    int64_t deals;
    int64_t messages;
    int64_t events;
    int64_t elapsed_ns; /* virtual */
    int64_t spread_ns;  /* from when the best bound was found until the last rank knew it */
};

/* NULL if all is well, otherwise what is wrong. */
const char *cluster_run(const struct cluster_settings *settings, struct cluster_result *result);

/* Fails the test with what is wrong, if anything, and with what it was that ran. */
void cluster_expect_none(const struct cluster_settings *settings, const char *wrong);

/* Runs it: nothing is wrong. */
void cluster_expect_right(const struct cluster_settings *settings);

#endif
