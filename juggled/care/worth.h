/* SPDX-License-Identifier: BSD-3-Clause */
/* Judges whether balancing a job is worth its cost, by its turns and by its effect. Pure.
 *
 * Every few seconds a judgement checks whether the turns are kept and whether there is anything
 * to move. Now and then, sooner if theory promises little, a trial compares the job's progress
 * with and without balancing, stretch after stretch. A single clear gain ends a trial; only
 * several pairs of stretches that agree count against balancing. */
#ifndef JUGGLE_JUGGLED_WORTH_H
#define JUGGLE_JUGGLED_WORTH_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum worth_finding {
    WORTH_IT,
    WORTH_OVERRUN, /* turns are not kept */
    WORTH_SPENT,   /* the share of its user is too small for useful turns */
    WORTH_STILL,   /* there is nothing to move */
    WORTH_REFUSED, /* the threads to be moved cannot be moved */
    WORTH_NOTHING, /* a trial: as fast without */
    WORTH_HARM,    /* a trial: faster without */
    WORTH_FINDINGS_COUNT,
};

/* All zero at first. */
struct worth {
    int overruns, still; /* number of judgements in a row */
    int spent, refused;
    int threads_count;   /* number of threads for which the time of the trial was chosen */
    int64_t interval_ns; /* from one trial to the next */
    int64_t trial_ns;    /* when the next one begins */
    int pairs, harms;    /* in the current trial */
    bool suspected;      /* the last trial counted against balancing */
};

/* The interval of judgements, and the length of a stretch of a trial. */
#define WORTH_JUDGE_NS   (5 * NSEC_PER_SEC)
#define WORTH_STRETCH_NS (2 * NSEC_PER_SEC)

/* The turns since the last judgement. */
struct worth_turns {
    int64_t count;
    int64_t moves, failed;
    int64_t cost_ns;   /* processor time of all turns */
    int64_t period_ns; /* as intended; 0: no turns are expected */
    int share_ppm;     /* share of a processor that they may take */
};

/* Makes one judgement. Turns that the share cannot pay for do not count as missed, if the
 * remaining ones are enough. */
enum worth_finding worth_judge(struct worth *worth, const struct worth_turns *turns);
/* Call it when the share has grown: forgets earlier findings on the cost. */
void worth_forget_costs(struct worth *worth);

/* Chooses the time of the next trial, anew if the number of threads has changed. */
void worth_plan(struct worth *worth, int threads_count, int processors_count, int64_t now_ns);
bool worth_trial_due(const struct worth *worth, int64_t now_ns);

/* Compares the progress of the slowest thread in two stretches of equal length. True if the
 * trial is over; then *finding is its result. */
bool worth_compare(struct worth *worth, double with, double without, int64_t now_ns,
                   enum worth_finding *finding);
/* Gives up the current trial: its pairs do not count for the next one. */
void worth_give_up(struct worth *worth);
/* Gives it up, and waits twice as long for the next one, because threads came or went. */
void worth_postpone(struct worth *worth, int64_t now_ns);

/* Returns the run time of the slowest thread, for which a parallel program waits. Threads that
 * ran far less than the busiest are helpers and do not count. 0 if no thread ran. */
int64_t worth_slowest(const int64_t *run_ns, int count);

/* The finding in words, for users. */
const char *worth_reason(enum worth_finding finding);

#endif
