/* SPDX-License-Identifier: BSD-3-Clause */
/* The questions to the theory: an application on a machine, its slots, and what a result needs of
 * them. */
#ifndef JUGGLE_THEORY_CASE_H
#define JUGGLE_THEORY_CASE_H

#include "libjuggle/ground/units.h"

/* One application on one machine. */
struct theory_case {
    int n;             /* threads */
    int m;             /* processors */
    int64_t e_ns;      /* length of a computation phase on a dedicated processor */
    int64_t lambda_ns; /* load-balancing period */
    int phases;        /* l of the sequence S: executions of the phase; 1 for a single one */
    int domains;       /* threads never leave theirs under proactive balancing; 1 for none */
};

/* What a result needs of a case. */
enum theory_condition {
    THEORY_HOLDS = 0,
    THEORY_NEEDS_A_CASE,        /* n, m, e, lambda, phases and domains >= 1, domains <= m */
    THEORY_NEEDS_IMBALANCE,     /* n > m and n mod m != 0 */
    THEORY_NEEDS_SHORT_PERIOD,  /* lambda < e c: some balancing point falls into each phase */
    THEORY_NEEDS_LONG_PERIOD,   /* lambda >= e c: at most one point falls into a phase */
    THEORY_NEEDS_A_POINT,       /* lambda < l e c: some point falls into the sequence */
    THEORY_NEEDS_FAST_SLOTS,    /* n_fast >= n_slow */
    THEORY_NEEDS_SLOW_SLOTS,    /* n_fast < n_slow */
    THEORY_NEEDS_RUNNING,       /* 0 <= t_lb <= e f: no thread is done before the point */
    THEORY_NEEDS_BELOW_TWO,     /* 1 < n/m < 2 */
    THEORY_NEEDS_FEWER_THREADS, /* n <= UNEQUAL_THREADS_MAX */
};

/* The condition in words, as the rest of "this needs ...". */
const char *theory_condition_text(enum theory_condition condition);

/* ---- slots, section 3 ---- */

struct theory_slots {
    int floor;           /* f */
    int ceil;            /* c */
    int slow_processors; /* |P_slow| */
    int fast_processors; /* |P_fast| */
    int n_slow;
    int n_fast;
};

/* Slots of n >= 1 threads on m >= 1 processors; without an imbalance every slot is fast. */
struct theory_slots theory_slots(int n, int m);

#endif
