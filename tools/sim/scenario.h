/* SPDX-License-Identifier: BSD-3-Clause */
/* What is simulated, as plain data: the machine, the program, who else is there, who balances. */
#ifndef JUGGLE_SIM_SCENARIO_H
#define JUGGLE_SIM_SCENARIO_H

#include "libjuggle/policy/policy.h"
#include "tools/sim/runqueue.h"

enum { SCENARIO_HOGS_MAX = 64 };

enum barrier_style {
    BARRIER_BLOCK, /* sleeps */
    BARRIER_YIELD, /* loops in sched_yield */
    BARRIER_BUSY,  /* loops */
};

/* What balances by itself: alone against the policies, and as the kernel beneath them. */
enum opponent {
    OPPONENT_NONE,
    OPPONENT_REACTIVE, /* section 4: perfect, but only when a thread blocks; beneath no policy */
    OPPONENT_KERNEL,   /* rotates and pulls as Linux does, within the masks */
};

/* Section 5.4: sleeps and computes for random times, over and over. */
struct scenario_hogs {
    int count;
    int nice[SCENARIO_HOGS_MAX];
    bool pinned;  /* hog i stays on processor i modulo m */
    double scale; /* of the times */
};

/* What threads tell of themselves, beside what the kernel sees. */
enum telling {
    TELLING_NOTHING,
    TELLING_WAITS, /* that they wait, as juggle_wait_begin() does */
    TELLING_UNITS, /* how much they have done, as juggle_progress() does */
};

/* What the threads do together. */
enum program {
    PROGRAM_PHASES,   /* all compute, then wait for each other, again and again */
    PROGRAM_LIST,     /* each takes a task from a common list until there is none */
    PROGRAM_PIPELINE, /* thread i is stage i, through which all items go in their order */
};

/* Factors of phase_ns, in turn: of phases, of tasks, or of stages. Without one all are 1. */
enum { SCENARIO_PARTS_MAX = 64 };

struct scenario_parts {
    int count;
    double values[SCENARIO_PARTS_MAX];
};

/* What the host of a virtual machine takes of each processor. */
struct scenario_theft {
    double share; /* of the time; 0: none */
    int64_t spell_ns;
};

struct scenario {
    /* the machine */
    struct machine machine;                /* as the policy is told: its rates may be wrong */
    double speeds[MACHINE_PROCESSORS_MAX]; /* 1 is the processor on which a phase takes e */
    double smt_speed;                      /* of a processor while a sibling is busy, 1: no SMT */
    struct sharing sharing;
    int64_t tick_ns;           /* samples are as old as the last tick or change; 0: exact */
    int64_t migration_cost_ns; /* lost by a thread that begins on another processor */
    int64_t turn_cost_ns;      /* of every processor of the domain, per balancing turn */
    struct scenario_theft theft;

    /* the program */
    int threads_count;
    int64_t phase_ns; /* e */
    int phases_count; /* of a list: tasks per thread; of a pipeline: items */
    enum program program;
    struct scenario_parts parts;
    double uneven; /* by which each thread's work in each phase varies: 0.1 is +-10 % */
    enum barrier_style barrier;
    enum telling telling;

    struct scenario_hogs hogs;
    enum opponent opponent;
    struct policy_options policy; /* threads_max is threads_count */
    uint64_t seed;
};

/* Whether processors differ, or share a core. */
bool scenario_unequal(const struct scenario *scenario);

/* The factor of phase, task or stage `index`. */
double scenario_part(const struct scenario *scenario, int64_t index);

/* l e n/m, (15), or l e n/R(n), (15'), with these speeds and siblings, e being the mean of its
 * parts and the host's share lost: no balancer can beat it. */
double scenario_ideal_ns(const struct scenario *scenario);

/* By the enums' values. */
extern const char *const barrier_style_names[BARRIER_BUSY + 1];
extern const char *const opponent_names[OPPONENT_KERNEL + 1];
extern const char *const telling_names[TELLING_UNITS + 1];
extern const char *const program_names[PROGRAM_PIPELINE + 1];

#endif
