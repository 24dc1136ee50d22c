/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether balancing a job is worth its cost: judged by its turns, and by what it brings. Pure.
 *
 * Every few seconds it is judged whether the turns are kept and whether there is anything to move.
 * Now and then, sooner where theory promises little, a trial compares the job's progress with and
 * without balancing, stretch after stretch. A single clear gain ends a trial; only several pairs of
 * stretches that agree speak against balancing. */
#ifndef JUGGLE_JUGGLED_WORTH_H
#define JUGGLE_JUGGLED_WORTH_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum worth_finding {
    WORTH_IT,
    WORTH_OVERRUN, /* turns are not kept */
    WORTH_SPENT,   /* what it may cost is too little for turns that are any good */
    WORTH_STILL,   /* there is nothing to move */
    WORTH_REFUSED, /* what there is to move cannot be */
    WORTH_NOTHING, /* a trial: as fast without */
    WORTH_HARM,    /* a trial: faster without */
    WORTH_FINDINGS_COUNT,
};

/* All zero at first. */
struct worth {
    int overruns, still; /* judgements in a row */
    int spent, refused;
    int threads_count;   /* that the time of the trial was chosen for */
    int64_t interval_ns; /* from one trial to the next */
    int64_t trial_ns;    /* when the next one begins */
    int pairs, harms;    /* of the one under way */
    bool suspected;      /* the last one spoke against balancing */
};

/* How often to judge, how long a stretch of a trial is. */
#define WORTH_JUDGE_NS   (5 * NSEC_PER_SEC)
#define WORTH_STRETCH_NS (2 * NSEC_PER_SEC)

/* What there was since the last judgement. */
struct worth_turns {
    int64_t count;
    int64_t moves, failed;
    int64_t cost_ns;   /* of processor time, of all */
    int64_t period_ns; /* as it is meant; 0: none are expected */
    int share_ppm;     /* of a processor that they may cost */
};

/* One judgement. Turns that cannot be paid for are not missed, as long as there are enough. */
enum worth_finding worth_judge(struct worth *worth, const struct worth_turns *turns);
/* Its share has grown: what was found before means nothing. */
void worth_relent(struct worth *worth);

/* Chooses when the next trial is, anew when the job has another number of threads. */
void worth_plan(struct worth *worth, int threads_count, int processors_count, int64_t now_ns);
bool worth_trial_due(const struct worth *worth, int64_t now_ns);

/* The progress of the slowest in two stretches of equal length. True when the trial is over:
 * *finding says how. */
bool worth_compare(struct worth *worth, double with, double without, int64_t now_ns,
                   enum worth_finding *finding);
/* The trial under way is given up: its pairs are none of the next. */
void worth_give_up(struct worth *worth);
/* And comes to nothing for now: threads came or went. */
void worth_postpone(struct worth *worth, int64_t now_ns);

/* What the slowest of the threads ran, which is what a parallel program waits for. Those that ran
 * far less than the others are helpers and do not count. 0 if nobody did anything. */
int64_t worth_slowest(const int64_t *run_ns, int count);

/* In words, for users. */
const char *worth_reason(enum worth_finding finding);

#endif
