/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of independent tasks, and the duration of each task. */
#ifndef JUGGLE_STEAL_SIM_WORK_H
#define JUGGLE_STEAL_SIM_WORK_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdint.h>

enum work_kind {
    WORK_TREE,        /* an unbalanced tree: no set */
    WORK_EXPONENTIAL, /* cut off at `longest` times the mean */
    WORK_LOGNORMAL,   /* with a standard deviation of 1 of the logarithm, cut off likewise */
    WORK_TCE,         /* proportional to the operations of the contraction's tiles */
    WORK_FILE,        /* a line of nanoseconds for each task */
};

struct work_settings {
    enum work_kind kind;
    const char *path;
    int64_t tasks_count; /* of the random kinds */
    int64_t mean_ns;     /* 0 for a file: durations are not scaled */
    double longest;      /* in multiples of the mean; 0: nothing is cut off */
    uint64_t seed;
};

struct workload {
    uint32_t tasks_count;
    int64_t *duration_ns;
    double total_s; /* of all durations */
};

/* "uts", "exponential", "lognormal", "tce", or one of the Hartree-Fock systems of the retentive
 * stealing paper: "hf", "hf-be512", "hf-be512-20" (tiles of 20). Any other name is the path of a
 * file. Fills in all but the seed. */
void work_named(const char *name, struct work_settings *settings);

/* Makes the durations. Returns 0, -errno of a file, -ENOMEM, or -EBADMSG if *line of the file is
 * not a duration, or, with *line 0, if the file is empty. */
int work_open(const struct work_settings *settings, struct workload *work,
              int64_t *line) MUST_CHECK;
void work_close(struct workload *work);

/* How the duration of a task changes, in shares of it: drift changes it from each iteration to the
 * next, noise changes it in one iteration only. */
struct work_change {
    double drift, noise;
    uint64_t seed;
};

int64_t work_duration(const struct workload *work, const struct work_change *change, uint32_t task,
                      int iteration);

#endif
