/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of many virtual ranks of the stealing runtime on a simulated machine: the search of an
 * unbalanced tree, or iterations over a set of tasks. The ranks execute the library's own code;
 * only their tasks take virtual time instead of real time. A checker checks all of them. */
#ifndef JUGGLE_STEAL_SIM_SIMULATION_H
#define JUGGLE_STEAL_SIM_SIMULATION_H

#include "libjuggle/steal.h"
#include "tools/iterate/scheme.h"
#include "tools/steal-sim/machine.h"
#include "tools/steal-sim/nodes.h"
#include "tools/steal-sim/work.h"

#include <stdio.h>

struct progress_bar;

/* The options of one simulation. */
struct simulation_options {
    int ranks;
    const char *workload;
    const char *tree;   /* NULL: the default */
    const char *scheme; /* NULL: the default of the workload's kind */
    const char *preset;
    const char *mapping;  /* NULL: the preset's */
    const char *topology; /* NULL: the preset's */
    uint64_t seed;
    int iterations; /* 0: the default */
    int64_t jitter_ns;
    int64_t visit_ns; /* 0: the preset's; of the next two lines, -1 */
    int64_t latency_ns, hop_ns, local_ns;
    int64_t overhead_ns, poll_cost_ns, gap_ns;
    int tasks_count;
    int64_t mean_ns;
    double noise, drift;
    struct os_noise os_noise;
    struct stragglers stragglers;
    bool links;
    bool server;       /* each rank has a thread that answers while it computes */
    bool first_static; /* no steals in the first iteration */
    enum start start;
    enum steal_order order;
    double tolerance;
    int arity;
    int victim, amount, termination; /* enums of the library; -1: the scheme's */
    double exponent;                 /* -1: the library's default; 0: uniform victims */
    int chunk, lifelines, tries, poll_tasks;
    int batch; /* of a tree */
    int memory_mib;
    bool unchecked;
};

struct simulation_settings {
    const struct simulation_options *options; /* of these, what is not settled below */
    const struct simulated_machine *machine;
    struct steal_properties properties; /* members that the simulation sets itself are ignored */
    /* A tree, if `work` is NULL. */
    struct tree tree;
    int64_t visit_ns; /* time to visit a node */
    bool scatter;     /* the first nodes are dealt out to all ranks */
    /* A set of tasks. */
    const struct workload *work; /* NULL: none */
    struct work_change change;
    const struct scheme *scheme;
    struct steal_balance balance;
    int64_t work_most_ns; /* limit of the time of all tasks on an undisturbed processor */
    FILE *trace; /* for what every rank did when, in the format of libjuggle-steal; or NULL */
    struct progress_bar *meter;
};

/* One iteration, or the search; sums over the ranks, unless said otherwise. */
struct simulation_round {
    int64_t begin_ns, end_ns;     /* begin of the first rank, end of the last one */
    int64_t work_ns;              /* time of its tasks on undisturbed processors */
    int64_t load_ns, load_max_ns; /* time that the tasks took; the greatest of a rank */
    int64_t predicted_ns, predicted_max_ns;
    int64_t tasks_executed;
    int64_t attempts, successes;
    double attempts_deviation, successes_deviation; /* standard deviations over the ranks */
    int64_t tasks_moved;                            /* by stealing and balancing */
    int64_t balance_ns; /* the greatest of a rank; for messages, not for sorting */
    int64_t sessions, session_ns;
    int64_t messages;
};

struct simulation_result {
    int64_t events;
    double host_s;
    int64_t memory_bytes; /* maximum of the process, minus the maximum before the simulation */
    int64_t virtual_ns;
    int64_t work_ns;    /* time of all tasks on undisturbed processors */
    double links_share; /* share of the time for which a link was held, on average; 0 if messages
                           never wait for links */
    struct census census;
    struct steal_report report; /* only the occupancy: the share of ranks with tasks */
    int rounds;
    struct simulation_round *round;
    char refusal[STEAL_MESSAGE_MAX]; /* message of the runtime if it refuses the properties */
};

/* Returns the number of tasks that will be executed in all, or PROGRESS_UNKNOWN for a tree. */
int64_t simulation_tasks(const struct simulation_settings *settings);

/* Returns NULL on success, otherwise what is wrong: no memory, properties that do not go together,
 * or a violation that the checker found. The text may point into the result, which must be freed in
 * either case. */
const char *simulation_run(const struct simulation_settings *settings,
                           struct simulation_result *result);
void simulation_result_free(struct simulation_result *result);

#endif
