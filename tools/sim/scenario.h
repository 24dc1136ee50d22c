/* SPDX-License-Identifier: BSD-3-Clause */
/* What is simulated, as plain data: the machine, the program, other load, and the balancers. */
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

/* The opponent of the policy. It runs alone; the kernel model also runs beneath policies. */
enum opponent {
    OPPONENT_NONE,
    OPPONENT_REACTIVE, /* section 4: perfect, but acts only when a task blocks or wakes; alone */
    OPPONENT_KERNEL,   /* rotates and pulls as Linux does, within the masks */
};

/* Section 5.4: each hog sleeps and computes for random times, over and over. */
struct scenario_hogs {
    int count;
    int nice[SCENARIO_HOGS_MAX];
    bool pinned;  /* hog i stays on processor i modulo m */
    double scale; /* factor of the times */
};

/* What threads tell the balancer in addition to what the kernel shows. */
enum telling {
    TELLING_NOTHING,
    TELLING_WAITS, /* that they wait, as by juggle_wait_begin() */
    TELLING_UNITS, /* how much they have done, as by juggle_progress() */
};

/* What the threads do together. */
enum program {
    PROGRAM_PHASES,   /* all compute, then wait for each other, again and again */
    PROGRAM_LIST,     /* each takes tasks from a common list until it is empty */
    PROGRAM_PIPELINE, /* thread i is stage i, through which all items go in their order */
};

/* Factors of phase_ns, used in turn for phases, tasks or stages. If there are none, all are 1. */
enum { SCENARIO_PARTS_MAX = 64 };

struct scenario_parts {
    int count;
    double values[SCENARIO_PARTS_MAX];
};

/* The time that the host of a virtual machine takes of each processor. */
struct scenario_theft {
    double share;     /* of all time; 0: none */
    int64_t spell_ns; /* mean duration of one interruption */
};

struct scenario {
    /* the machine */
    struct machine machine;                /* as the policy is told: its rates may be wrong */
    double speeds[MACHINE_PROCESSORS_MAX]; /* a phase takes phase_ns at speed 1 */
    double smt_speed;                      /* factor while a sibling is busy; 1: no SMT */
    struct sharing sharing;
    int64_t tick_ns;           /* samples are as old as the last tick or change; 0: exact */
    int64_t migration_cost_ns; /* lost by a task that begins on another processor */
    int64_t turn_cost_ns;      /* lost by every processor of the domain, per balancing turn */
    struct scenario_theft theft;

    /* the program */
    int threads_count;
    int64_t phase_ns; /* e */
    int phases_count; /* of a list: tasks per thread; of a pipeline: items */
    enum program program;
    struct scenario_parts parts;
    double uneven; /* random variation of each thread's work in each phase: 0.1 is +-10 % */
    enum barrier_style barrier;
    enum telling telling;

    struct scenario_hogs hogs;
    enum opponent opponent;
    struct policy_options policy; /* threads_max is threads_count */
    uint64_t seed;
};

/* True if processors differ in speed, or are slower while a sibling is busy. */
bool scenario_unequal(const struct scenario *scenario);

/* The factor of phase, task or stage `index`. */
double scenario_part(const struct scenario *scenario, int64_t index);

/* Returns the completion time that no balancer can beat: l e n/m, (15), or l e n/R(n), (15'), with
 * these speeds and siblings. e is the mean over the parts, and the host's share of the time is
 * lost. A pipeline takes at least the time of its longest stage on the fastest processor. */
double scenario_ideal_ns(const struct scenario *scenario);

/* The names of the options' values, indexed by the enums. */
extern const char *const barrier_style_names[BARRIER_BUSY + 1];
extern const char *const opponent_names[OPPONENT_KERNEL + 1];
extern const char *const telling_names[TELLING_UNITS + 1];
extern const char *const program_names[PROGRAM_PIPELINE + 1];

#endif
