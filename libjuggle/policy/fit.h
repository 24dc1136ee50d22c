/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two explanations of how long threads run for the same work, fitted side by side: that threads
 * differ, or that processors do, too. Internal to policy/.
 */
#ifndef JUGGLE_POLICY_FIT_H
#define JUGGLE_POLICY_FIT_H

#include "libjuggle/policy/stints.h"

/* Of a thread; logarithms are against the mean of all. */
struct fit_thread {
    struct stints stints; /* since the last account */
    bool blurred;         /* part of that was burnt, or nobody knows where it was run */
    bool reports;         /* it has told how much it did, */
    double done_ns;       /* so much since then; else all did the same */
    double pace;          /* work per run time in the period before, by its own word, */
    int place;            /* on this processor */
    double alike_log;     /* how much longer it runs than others, if processors are alike */
    double own_log;       /* and if they are as fast as believed */
    double residual;      /* scratch */
    int accounts_count;
};

struct fit_processor {
    double speed_log;
    bool visited; /* else nothing is known of it */
};

/* Domains with more processors learn nothing: matrices grow with the square. */
enum { FIT_PROCESSORS_MAX = 128 };

/* Normal equations, matrix times x = vector: a row for each processor and one for siblings. */
struct fit_equations {
    int size; /* 0: the domain is too large */
    double *matrix, *vector;
    double *sum; /* scratch, as long as the vector */
};

/* Of a domain. */
struct fit {
    struct fit_equations equations;
    double beside_log; /* of a processor's speed while a sibling is busy */
    bool beside_seen;
    /* How wrong each explanation was of late about accounts that it had not seen: mean squares. */
    double alike_error, unequal_error;
    int accounts_count;
};

struct policy;
struct domain;

struct fit_wish {
    bool speeds, beside; /* are to be learned; else the machine's are true */
    bool reports_only;   /* compares by what threads have told */
};

/* Compares what the domain's threads have run since the last account, learns from it and begins a
 * new one. False if there was nothing to compare. */
bool fit_account(struct policy *policy, struct domain *domain, const struct fit_wish *wish);

#endif
