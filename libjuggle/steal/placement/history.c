/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/history.h"

static int64_t forecast_of(const struct history *history, const struct forecast *forecast,
                           int64_t took_ns)
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

void history_learn(struct history *history, const struct forecast *forecast, int64_t took_ns,
                   struct forecast_error *error)
{
    if (history->runs == 0) {
        history->predicted_ns = took_ns;
        history->runs = 1;
        return;
    }
    const int64_t off_ns = took_ns - history->predicted_ns;

    error->tasks++;
    error->predicted_ns += history->predicted_ns;
    error->took_ns += took_ns;
    error->error_ns += off_ns < 0 ? -off_ns : off_ns;
    history->predicted_ns = forecast_of(history, forecast, took_ns);
    history->runs = (uint16_t)min_i64(history->runs + 1, UINT16_MAX);
}
