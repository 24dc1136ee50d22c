/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of a task from its earlier executions. It travels with the task from rank to rank,
 * so that it need not be looked up.
 */
#ifndef JUGGLE_STEAL_PLACEMENT_HISTORY_H
#define JUGGLE_STEAL_PLACEMENT_HISTORY_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal_choices.h"

enum {
    HISTORY_NESTED = 1, /* a task added it */
    HISTORY_GONE = 4,   /* the task is not to be kept: it was forgotten, or moved to another rank */
    HISTORY_COSTED = 8, /* predicted_ns is the cost that the program gave, before the first run */
};

struct history {
    int64_t predicted_ns; /* expected duration; has no meaning before the first run */
    uint32_t runs;        /* counted up to UINT16_MAX */
    uint32_t flags;
};

/* How predictions are made from measured durations. */
struct forecast_rule {
    enum steal_prediction prediction;
    double alpha; /* STEAL_PREDICTION_WEIGHTED: weight of the latest duration, above 0 up to 1 */
};

/* How far off predictions were. */
struct forecast_error {
    int64_t tasks;    /* tasks that had a prediction */
    int64_t error_ns; /* sum of the absolute errors */
};

/* Returns the next prediction for a task that already has one. */
static inline int64_t history_forecast(const struct history *history,
                                       const struct forecast_rule *forecast, int64_t took_ns)
{
    const int64_t off_ns = took_ns - history->predicted_ns;

    switch (forecast->prediction) {
    case STEAL_PREDICTION_LAST:
        return took_ns;
    case STEAL_PREDICTION_MEAN:
        return history->predicted_ns + off_ns / (history->runs + 1);
    case STEAL_PREDICTION_WEIGHTED:
        return history->predicted_ns + (int64_t)(forecast->alpha * (double)off_ns);
    }
    return took_ns;
}

/* Updates the history of a task that took `took_ns`. */
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
    history->predicted_ns = history_forecast(history, forecast, took_ns);
    history->runs += history->runs < UINT16_MAX;
}

/* Returns the prediction, or, if the task never ran, the average of the others. */
static inline int64_t history_expect(const struct history *history, int64_t mean_ns)
{
    return history->runs > 0 ? history->predicted_ns : mean_ns;
}

#endif
