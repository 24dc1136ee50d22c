/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two explanations of how long threads run for the same work, fitted side by side: that threads
 * differ, or that processors do, too. Internal to policy/.
 */
#ifndef JUGGLE_POLICY_FIT_H
#define JUGGLE_POLICY_FIT_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

/* Where a thread has run how long for a known part of its work. */
enum { STINTS_MAX = 8 };

/* Time that was run on one processor. */
struct stint {
    int processor;
    double alone_ns;
    double beside_ns; /* while a sibling ran threads of ours */
};

struct stints {
    struct stint items[STINTS_MAX];
    int count;
    bool overflown; /* there were more */
};

/* `beside` is the part of the time in which a sibling was busy. */
void stints_add(struct stints *stints, int processor, double run_ns, double beside);

void stints_clear(struct stints *stints);

/* Of a thread; logarithms are against the mean of all. */
struct fit_thread {
    struct stints stints; /* since the last account */
    bool blurred;         /* part of that was burnt, or nobody knows where it was run */
    bool reports;         /* it has told how much it did, */
    double done_ns;       /* its own work since then; without units, the same for all threads */
    double pace;          /* work per run time in the period before, by its own word, */
    int place;            /* on this processor */
    double equal_log;     /* how much longer it runs than others, if processors are alike */
    double unequal_log;   /* and if they are as fast as believed */
    double residual;      /* scratch */
    int accounts_count;
};

struct fit_processor {
    double speed_log;
    bool visited; /* else nothing is known of it */
};

/* Of a domain. */
struct fit {
    double beside_log; /* of a processor's speed while a sibling is busy */
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
