/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of many virtual ranks of the stealing runtime on a machine: the search of an unbalanced
 * tree, or iterations over a set of tasks. What the ranks do is the library's own code; only their
 * tasks take no time but virtual time. A checker watches all of them. */
#ifndef JUGGLE_STEAL_SIM_SIMULATION_H
#define JUGGLE_STEAL_SIM_SIMULATION_H

#include "libjuggle/steal.h"
#include "tools/iterate/scheme.h"
#include "tools/steal-sim/machine.h"
#include "tools/steal-sim/nodes.h"
#include "tools/steal-sim/work.h"

#include <stdio.h>

struct progress_bar;

struct simulation_settings {
    int ranks;
    uint64_t seed;
    const struct simulated_machine *machine;
    int64_t jitter_ns;
    struct os_noise os_noise;
    struct stragglers stragglers;
    bool server;                        /* each rank has a thread that answers while it computes */
    struct steal_properties properties; /* without what the simulation knows itself */
    /* A tree, unless `work` is there. */
    struct tree tree;
    int64_t visit_ns; /* what a node takes */
    bool scatter;     /* the first nodes are dealt out */
    /* A set of tasks. */
    const struct workload *work; /* NULL: none */
    struct work_change change;
    const struct scheme *scheme;
    struct steal_balance balance;
    int iterations;
    enum start start;
    bool steals_first; /* in the first iteration, if the scheme wants so */
    bool unchecked;
    int64_t work_most_ns; /* that all tasks may take an undisturbed processor */
    FILE *trace; /* what every rank did when, as libjuggle-steal writes it; NULL: nobody asks */
    struct progress_bar *meter;
};

/* One iteration, or the search; sums over the ranks, unless said otherwise. */
struct simulation_round {
    int64_t begin_ns, end_ns;     /* of the first rank, and of the last */
    int64_t work_ns;              /* that its tasks take an undisturbed processor */
    int64_t load_ns, load_max_ns; /* that they took */
    int64_t predicted_ns, predicted_max_ns;
    int64_t tasks_executed;
    int64_t attempts, successes;
    double attempts_deviation, successes_deviation; /* standard deviations over the ranks */
    int64_t tasks_moved;                            /* by stealing and balancing */
    int64_t balance_ns; /* the greatest; its messages, not its sorting */
    int64_t sessions, session_ns;
    int64_t messages;
};

struct simulation_result {
    int64_t events;
    double host_s;
    int64_t memory_bytes; /* the most that the process had, less what it had before the ranks */
    int64_t virtual_ns;
    int64_t work_ns;    /* that its tasks take an undisturbed processor */
    double links_share; /* of the time, that a link was held on average; 0 where none is ever
                           crowded */
    struct census census;
    struct steal_report report; /* of it the occupancy: share of ranks with tasks */
    int rounds;
    struct simulation_round *round;
    char refusal[STEAL_MESSAGE_MAX]; /* of the runtime, where it refuses what it was asked for */
};

/* How many there are in all, or PROGRESS_UNKNOWN. */
int64_t simulation_tasks(const struct simulation_settings *settings);

/* NULL if all went well, otherwise what is wrong: no memory, properties that do not go together, or
 * a promise that was broken. It may point into the result, which is to be freed either way. */
const char *simulation_run(const struct simulation_settings *settings,
                           struct simulation_result *result);
void simulation_result_free(struct simulation_result *result);

#endif
