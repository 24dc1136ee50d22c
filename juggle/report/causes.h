/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run waited for and for how long, from measurements. Pure. */
#ifndef JUGGLE_CAUSES_H
#define JUGGLE_CAUSES_H

#include "juggle/report/report.h"

enum cause_kind {
    CAUSE_STOPPED, /* by a signal */
    CAUSE_QUOTA,   /* of the control group */
    CAUSE_HOST,    /* of a virtual machine, which ran something else */
    CAUSE_PINS,   /* the program's own: bound threads waited for a processor that they shared, while
                     others were free */
    CAUSE_OTHERS, /* other programs on its processors */
    CAUSE_BLOCKED,     /* its threads slept: for input, output, each other, or a time */
    CAUSE_FEW_THREADS, /* idle processors for which it had no threads */
    CAUSE_KINDS_COUNT,
};

/* All times are processor time, except `elapsed_ns` and `stopped_ns`. */
struct spent {
    int64_t elapsed_ns;
    int processors_count;
    double threads_mean; /* mean number of computing threads over the run; less than one counts as
                            one */
    int64_t run_ns, wait_ns; /* of all threads of the program: running, and waiting in run queues */
    int64_t stopped_ns;      /* for how long the program was stopped */
    int64_t throttled_ns;
    double throttled_share; /* share of the quota's periods in which it was used up */
    int64_t steal_ns;
    int64_t others_ns;
    int64_t own_ns;           /* used by juggle */
    int64_t pinned_wait_ns;   /* the part of `wait_ns` of threads that the program has bound */
    int64_t pinned_others_ns; /* the part of `others_ns` on processors of such threads */
};

struct cause {
    enum cause_kind kind;
    int64_t time_ns; /* the run would have been shorter by this time without the cause */
};

/* A cause below this share of the run is not reported. */
#define CAUSE_SHARE_MIN 0.1

/* Fills in the causes, the one that explains most first, and returns their number. */
int causes_find(const struct spent *spent, struct cause causes[CAUSE_KINDS_COUNT]);

/* No causes are reported for a run shorter than this, because its numbers are too coarse. */
#define RUN_MIN_NS (200 * NSEC_PER_MSEC)

/* Like causes_find. Returns 0 if the run was too short, or if nothing is known about it. */
int causes_of(const struct report *report, struct cause causes[CAUSE_KINDS_COUNT]);

/* The name in JSON: "others" for other programs. */
const char *cause_name(enum cause_kind kind);

#endif
