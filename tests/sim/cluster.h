/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many ranks of the stealing runtime walk a tree on the in-process network. A checker sees the
 * state of all ranks: no node is visited twice, and no rank believes that all tasks are done while
 * a task exists.
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
    uint16_t *leaves; /* number of further children, which are counted, not visited; NULL: none */
};

extern struct forest forest;

/* Frees the last tree and makes room for one of nodes_max nodes; if `leaves`, also for the numbers
 * of leaves. */
void forest_clear(uint32_t nodes_max, bool leaves);

/* Grows a binomial tree: the root has `roots` children, and any other node has m children with
 * probability q. A node has no children if the tree would exceed nodes_max nodes with them. */
void forest_grow_shape(uint32_t roots, int m, double q, uint32_t nodes_max);

/* Grows a binomial tree whose root has 200 children, and other nodes eight with probability 0.128.
 * Fails the test unless the tree has more than a third of nodes_max nodes. */
void forest_grow(uint32_t nodes_max);

struct cluster_settings {
    int ranks;
    uint64_t seed;               /* of latencies, jitter and start times */
    int64_t latency_ns;          /* between neighbors; without `places` it grows with the
                                    distance between ranks */
    int64_t hop_ns;              /* added for each unit of distance in `places` */
    const struct places *places; /* NULL: each rank on a node of its own */
    const struct simulated_machine
        *machine; /* with `ranks` ranks; replaces latency_ns, hop_ns and `places`; or NULL */
    int64_t jitter_ns;
    int64_t stall_ns;                   /* further latency of one message in 30 */
    int64_t task_ns;                    /* duration of a visit */
    int64_t start_ns;                   /* ranks begin at random within this time */
    struct steal_properties properties; /* `function` and `local` are set for each rank; task_size
                                           becomes at least 8, and 0 in `tasks` or memory_max
                                           stands for a default */
    int rounds;                         /* calls of steal_process(), at least 1; with `retain`,
                                           steal_restore() comes before each but the first */
    bool seed_all;                      /* each node is seeded on some rank, and tasks add none */
    bool no_tasks;                      /* no rank has a task */
    uint32_t cancel_node;               /* the task that visits this node cancels; 0: none */
    bool deal_seeds; /* the rank with the root executes some tasks, then deals the others out */
    /* Called in each visit; or NULL. */
    void (*visited)(struct steal_worker *worker, struct steal_collection *here, uint64_t node);
    /* Returns for how many calls of steal_count_down() a waiting task waits. NULL: for two, which
     * the task or seeder that adds it makes. */
    int64_t (*needs)(uint64_t node);
    /* All ranks pause when this many nodes were visited since the run began or went on; 0: never.
     * The same ranks go on if resume_ranks is 0. Otherwise new ranks go on with the remaining
     * tasks: resume_ranks ranks after the first pause, `ranks` ranks after the second, and so on.
     */
    int64_t pause_every;
    int resume_ranks;
    bool relay; /* tasks add their children to the other of two collections, processed next */
};

/* Returns settings by which a visit takes 1 us, ranks begin within 50 us, and a message takes 2 us
 * or more, with a jitter of 10 us. */
struct cluster_settings cluster_basic(int ranks, uint64_t seed);

/* Calls `run` for each kind of termination detection, without lifelines and with two. */
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
    int64_t spread_ns;  /* time from the discovery of the best bound until the last rank knew it */
};

/* Runs the ranks. Returns NULL if all is well, otherwise a text that says what is wrong. */
const char *cluster_run(const struct cluster_settings *settings, struct cluster_result *result);

/* Unless `wrong` is NULL, fails the test with a message of the settings and `wrong`. */
void cluster_expect_none(const struct cluster_settings *settings, const char *wrong);

/* Runs the ranks, and fails the test if anything is wrong. */
void cluster_expect_right(const struct cluster_settings *settings);

#endif
