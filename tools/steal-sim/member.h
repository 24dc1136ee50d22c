/* SPDX-License-Identifier: BSD-3-Clause */
/* One virtual rank: its runtime, its collection, and where it is in its run. */
#ifndef JUGGLE_STEAL_SIM_MEMBER_H
#define JUGGLE_STEAL_SIM_MEMBER_H

#include "libjuggle/steal/runtime/rebalance.h"
#include "libjuggle/steal/runtime/timeline.h"
#include "tools/steal-sim/checker.h"
#include "tools/steal-sim/lines.h"
#include "tools/steal-sim/simulation.h"

struct virtual_rank {
    _Alignas(LINE) struct steal_simulation *simulation;
    struct steal_runtime *runtime;
    struct steal_collection *collection;
    struct rebalance *rebalance; /* under way, or NULL */
    int64_t worked_ns;           /* time of the tasks of this turn */
    int64_t computes_until_ns;   /* while its server answers; 0: it does not compute */
    int64_t active_since_ns;     /* since when it has tasks; -1: it has none */
    int32_t round;               /* under way, or to begin next */
    bool processing;
    bool begun; /* processing or balancing began in this turn, and messages may wait already */
};

/* All virtual ranks, and what they share. */
struct steal_simulation {
    const struct simulation_settings *settings;
    struct simulation_result *result;
    struct network *network;
    struct places places;          /* of the ranks */
    struct alias *tables;          /* tables of skewed victim selection, for all ranks */
    struct links *links;           /* NULL: messages never wait for links */
    struct processors *processors; /* NULL: undisturbed */
    struct virtual_rank *member;
    struct steal_collection **next; /* of each rank: its collection, for prefetching */
    struct timeline timeline;       /* of all ranks together */
    struct checker checker;
    int64_t tasks_done;
    struct nodes *nodes; /* of a tree */
    int finished;
    const char *wrong;
};

/* Opens a rank with its runtime, its collection and, of a set, its tasks. Returns 0 or -errno. */
int member_open(struct steal_simulation *simulation, int rank) MUST_CHECK;
void member_close(struct virtual_rank *member);

/* Executes a turn of the rank. */
void member_turn(struct virtual_rank *member, int rank);

/* The task functions of a tree and of a set, and functions that add the first tasks. */
void tree_execute(struct steal_worker *worker, void *local, const void *tasks, size_t count);
int tree_seed(struct steal_simulation *simulation) MUST_CHECK;
void set_execute(struct steal_worker *worker, void *local, const void *tasks, size_t count);
int set_seed(struct virtual_rank *member, int rank) MUST_CHECK;

#endif
