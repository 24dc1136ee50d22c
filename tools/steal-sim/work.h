/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of independent tasks: what each of them takes. */
#ifndef JUGGLE_STEAL_SIM_WORK_H
#define JUGGLE_STEAL_SIM_WORK_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdint.h>

enum work_kind {
    WORK_TREE,        /* an unbalanced tree: no set */
    WORK_EXPONENTIAL, /* cut off at `longest` times the mean */
    WORK_LOGNORMAL,   /* of a standard deviation of 1, cut off likewise */
    WORK_TCE,         /* by the operations of the contraction's tiles */
    WORK_FILE,        /* a line of nanoseconds for each */
};

struct work_settings {
    enum work_kind kind;
    const char *path;
    int64_t tasks_count; /* of the random ones */
    int64_t mean_ns;     /* of all but a file's */
    double longest;      /* by the mean; 0: nothing is cut off */
    uint64_t seed;
};

struct workload {
    uint32_t tasks_count;
    int64_t *duration_ns;
    double total_s; /* of all durations */
};

/* "uts", "exponential", "lognormal", "tce", or one of the Hartree-Fock systems of the retentive
 * stealing paper: "hf", "hf-be512", "hf-be512-20" (tiles of 20). Whatever else is a file. Fills in
 * all but path and seed. */
void work_named(const char *name, struct work_settings *settings);

/* -errno of a file; -EBADMSG if it has a line that is no duration, and *line then says which; 0 if
 * it has none. */
int work_open(const struct work_settings *settings, struct workload *work,
              int64_t *line) MUST_CHECK;
void work_close(struct workload *work);

/* What a task takes in an iteration: with drift, what it took before, more or less; with noise,
 * besides. Shares of its duration. */
struct work_change {
    double drift, noise;
    uint64_t seed;
};

int64_t work_duration(const struct workload *work, const struct work_change *change, uint32_t task,
                      int iteration);

#endif
