/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits two explanations of why threads run for different times for the same work: that only threads
 * differ, or that processors differ, too. Internal to policy/. */
#ifndef JUGGLE_POLICY_FIT_H
#define JUGGLE_POLICY_FIT_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

/* A thread may have run on this many processors for one account; more are not recorded. */
enum { STINTS_MAX = 8 };

/* Run time on one processor. */
struct stint {
    int processor;
    double alone_ns;
    double beside_ns; /* while a sibling ran threads of ours */
};

struct stints {
    struct stint items[STINTS_MAX];
    int count;
    bool overflown; /* the thread has run on more processors */
};

/* Adds run time on a processor; `beside` is the share of it in which a sibling was busy. */
void stints_add(struct stints *stints, int processor, double run_ns, double beside);

void stints_clear(struct stints *stints);

/* What is fitted for a thread; logarithms are relative to the mean of all threads. */
struct fit_thread {
    struct stints stints; /* since the last account */
    bool blurred;         /* part of that was burnt in waits, or it is not known where it was run */
    bool reports;         /* it reports its work */
    double done_ns; /* reported work since then; threads that report none have all done the same */
    double pace;    /* reported work per run time in the last period */
    int place;      /* the processor in that period */
    double equal_log;   /* how much longer it runs than others, if processors are alike */
    double unequal_log; /* and if processors have the fitted speeds */
    double residual;    /* scratch */
    int accounts_count;
};

struct fit_processor {
    double speed_log;
    bool visited; /* a thread has run there: its speed was fitted */
};

/* Of a domain. */
struct fit {
    double beside_log; /* factor of a processor's speed while a sibling is busy */
    /* Mean square error of each explanation in recent accounts, before it learned from these. */
    double alike_error, unequal_error;
    int accounts_count;
};

struct policy;
struct domain;

struct fit_wish {
    bool speeds, beside; /* are to be learned; else struct machine tells them */
    bool reports_only;   /* compares threads that report their work; else those that do not */
};

/* Compares what the domain's threads have run since the last account, learns from it and begins a
 * new one. False if there was nothing to compare. */
bool fit_account(struct policy *policy, struct domain *domain, const struct fit_wish *wish);

#endif
