/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/history.h"

int64_t history_forecast(const struct history *history, const struct forecast_rule *forecast,
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
