/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of a task from the times that it was executed. It travels with the task, wherever
 * that goes, so that nobody has to look it up.
 */
#ifndef JUGGLE_STEAL_PLACEMENT_HISTORY_H
#define JUGGLE_STEAL_PLACEMENT_HISTORY_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal_choices.h"

enum {
    HISTORY_NESTED = 1, /* a task added it */
    HISTORY_GONE = 4,   /* it is not to be kept: forgotten, or moved elsewhere */
    HISTORY_COSTED = 8, /* predicted_ns is what the program said of it, before its first run */
};

struct history {
    int64_t predicted_ns; /* what it will take; means nothing before the first run */
    uint32_t runs;        /* counted up to UINT16_MAX */
    uint32_t flags;
};

/* How predictions follow what was measured. */
struct forecast_rule {
    enum steal_prediction prediction;
    double alpha; /* STEAL_PREDICTION_WEIGHTED: what the latest counts, over 0 to 1 */
};

/* How far off predictions were. */
struct forecast_error {
    int64_t tasks;    /* that had a prediction */
    int64_t error_ns; /* sum of what each was off */
};

/* The next prediction of a task that has one. */
int64_t history_forecast(const struct history *history, const struct forecast_rule *forecast,
                         int64_t took_ns);

/* Learns how long the task took. */
static inline void history_learn(struct history *history, const struct forecast_rule *forecast,
                                 int64_t took_ns, struct forecast_error *error)
{
    if (history->runs == 0) {
        history->predicted_ns = took_ns;
        history->runs = 1;
        return;
    }
    const int64_t off_ns = took_ns - history->predicted_ns;

    error->tasks++;
    error->error_ns += off_ns < 0 ? -off_ns : off_ns;
    history->predicted_ns = forecast->prediction == STEAL_PREDICTION_LAST
                                ? took_ns
                                : history_forecast(history, forecast, took_ns);
    history->runs += history->runs < UINT16_MAX;
}

/* The prediction, or for a task that never ran what others take on average. */
static inline int64_t history_expect(const struct history *history, int64_t mean_ns)
{
    return history->runs > 0 ? history->predicted_ns : mean_ns;
}

#endif
