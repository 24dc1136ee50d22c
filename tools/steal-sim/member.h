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
    int64_t worked_ns;           /* by the tasks of this turn */
    int64_t computes_until_ns;   /* beside its server; 0: it does not */
    int64_t active_since_ns;     /* it has tasks; -1: it has none */
    int32_t round;               /* under way, or to begin next */
    bool processing;
    bool begun; /* in this turn, something that may have mail already */
};

/* All of them. */
struct steal_simulation {
    const struct simulation_settings *settings;
    struct simulation_result *result;
    struct network *network;
    struct places places;          /* of the ranks */
    struct alias *tables;          /* that they choose victims from, if these are skewed */
    struct links *links;           /* NULL: never crowded */
    struct processors *processors; /* NULL: undisturbed */
    struct virtual_rank *member;
    struct steal_collection **next; /* that each rank works on, to be found early */
    struct timeline timeline;       /* of all ranks together */
    struct checker checker;
    int64_t tasks_done;
    struct nodes *nodes; /* of a tree */
    int finished;
    const char *wrong;
};

/* With all that the first turn wants. -errno, or *wrong says why. */
int member_open(struct steal_simulation *simulation, int rank) MUST_CHECK;
void member_close(struct virtual_rank *member);

/* What it does when its time has come. */
void member_turn(struct virtual_rank *member, int rank);

/* Executes tasks of a tree, or of a set; puts in what there is at the beginning. */
void tree_execute(struct steal_worker *worker, void *local, const void *tasks, size_t count);
int tree_seed(struct steal_simulation *simulation) MUST_CHECK;
void set_execute(struct steal_worker *worker, void *local, const void *tasks, size_t count);
int set_seed(struct virtual_rank *member, int rank) MUST_CHECK;

#endif
