/* SPDX-License-Identifier: BSD-3-Clause */
/* What was asked of steal-sim on its command line. */
#ifndef JUGGLE_STEAL_SIM_SETTINGS_H
#define JUGGLE_STEAL_SIM_SETTINGS_H

#include "cli/options.h"
#include "tools/steal-sim/presets.h"
#include "tools/steal-sim/simulation.h"

enum { SWEEPS_MAX = 6 };

/* One simulation, in words and numbers. */
struct question {
    int ranks;
    const char *workload;
    const char *tree;   /* NULL: the usual one of its kind */
    const char *scheme; /* the same */
    const char *preset;
    const char *mapping;  /* NULL: the preset's */
    const char *topology; /* NULL: the preset's */
    uint64_t seed;
    int iterations; /* 0: as many as usual */
    int64_t jitter_ns;
    int64_t visit_ns; /* and the following: 0 or -1 is the preset's */
    int64_t latency_ns, hop_ns, local_ns;
    int64_t overhead_ns, poll_cost_ns, gap_ns;
    int tasks_count;
    int64_t mean_ns;
    double noise, drift;
    struct os_noise os_noise;
    struct stragglers stragglers;
    bool links;
    bool server;
    bool first_static;
    enum start start;
    enum steal_order order;
    double tolerance;
    int arity;
    int victim, amount, termination; /* the library's; -1: the scheme's */
    double exponent;                 /* -1: the library's; 0 is uniform */
    int chunk, lifelines, tries, poll_tasks;
    int batch; /* of a tree */
    int memory_mib;
    bool unchecked;
};

struct steal_sim_settings {
    struct question question;
    int seeds_count;
    int jobs;                      /* processes at a time; 0: as many as there are processors */
    const char *sweep[SWEEPS_MAX]; /* "OPTION=VALUE,VALUE" */
    int sweeps_count;
    const char *trace_path;
    bool json;
};

extern const struct command_spec steal_sim_command;

void steal_sim_settings_init(struct steal_sim_settings *settings);

/* Fills in what was not asked and depends on nothing but the workload. Complains about options that
 * nobody would act on: -EINVAL. */
int question_settle(struct question *question) MUST_CHECK;

/* All that a question takes to be played. */
struct prepared {
    struct simulation_settings simulation;
    struct simulated_machine *machine;
    struct workload work;
};

/* Of a question that is settled. Complains about what does not fit together: -EINVAL; -ENOMEM. */
int question_prepare(const struct question *question, struct prepared *prepared) MUST_CHECK;
void prepared_free(struct prepared *prepared);

/* Sets an option of a question by its name, as the command line does. Complains: -EINVAL. */
int question_set(struct steal_sim_settings *settings, const char *name,
                 const char *value) MUST_CHECK;

#endif
