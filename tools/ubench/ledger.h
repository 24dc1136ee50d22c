/* SPDX-License-Identifier: BSD-3-Clause */
/* Who arrived when at which barrier: what every figure of a run is computed from. */
#ifndef JUGGLE_UBENCH_LEDGER_H
#define JUGGLE_UBENCH_LEDGER_H

#include "libjuggle/policy/units.h"

/* One row per member in memory shared by threads and processes; no two rows share a cache line. */
struct ledger {
    int members_count;
    int phases_count;
    size_t row_length;   /* int64_t values from one member's row to the next one's */
    int64_t *arrived_ns; /* [member][phase]: at the barrier that precedes the phase */
    int64_t *work_ns;    /* [member][phase]: CPU time of its computation */
};

/* Of phases and of one member's work in a phase. */
struct spread {
    int64_t min_ns;
    int64_t median_ns;
    int64_t max_ns;
};

struct ledger_summary {
    int64_t elapsed_ns; /* from the first barrier to the last */
    int64_t *phase_ns;  /* [phase]: from the last arrival before it to the last one after it */
    struct spread phase;
    struct spread work;
};

/* 0 or -errno. */
int ledger_init(struct ledger *ledger, int members_count, int phases_count) MUST_CHECK;
void ledger_destroy(struct ledger *ledger);

int64_t *ledger_arrived_row(const struct ledger *ledger, int member);
int64_t *ledger_work_row(const struct ledger *ledger, int member);

/* 0 or -ENOMEM. */
int ledger_summarize(const struct ledger *ledger, struct ledger_summary *summary) MUST_CHECK;
void ledger_summary_destroy(struct ledger_summary *summary);

#endif
