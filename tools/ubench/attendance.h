/* SPDX-License-Identifier: BSD-3-Clause */
/* The times at which each member arrived at each barrier. All figures of a run are computed from
 * them. */
#ifndef JUGGLE_UBENCH_ATTENDANCE_H
#define JUGGLE_UBENCH_ATTENDANCE_H

#include "libjuggle/ground/units.h"

/* One row per member in memory shared by threads and processes; no two rows share a cache line. */
struct attendance {
    int members_count;
    int phases_count;
    size_t row_length;   /* int64_t values from one member's row to the next one's */
    int64_t *arrived_ns; /* [member][phase]: at the barrier that precedes the phase */
    int64_t *work_ns;    /* [member][phase]: CPU time of its computation */
};

/* The distribution of the lengths of phases, or of a member's work in a phase. */
struct spread {
    int64_t min_ns;
    int64_t median_ns;
    int64_t max_ns;
};

struct attendance_summary {
    int64_t elapsed_ns; /* from the first barrier to the last */
    int64_t *phase_ns;  /* [phase]: from the last arrival before it to the last one after it */
    struct spread phase;
    struct spread work;
};

/* Returns 0 or -errno. */
int attendance_init(struct attendance *attendance, int members_count, int phases_count) MUST_CHECK;
void attendance_destroy(struct attendance *attendance);

int64_t *attendance_arrived_row(const struct attendance *attendance, int member);
int64_t *attendance_work_row(const struct attendance *attendance, int member);

/* Returns 0 or -ENOMEM. */
int attendance_summarize(const struct attendance *attendance,
                         struct attendance_summary *summary) MUST_CHECK;
void attendance_summary_destroy(struct attendance_summary *summary);

#endif
