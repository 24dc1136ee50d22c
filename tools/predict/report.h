/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports print a prediction, as a table or as JSON. */
#ifndef JUGGLE_PREDICT_REPORT_H
#define JUGGLE_PREDICT_REPORT_H

#include "tools/predict/advice.h"

void report_table(const struct theory_case *app, const struct theory_prediction *prediction,
                  const struct advice *advice);

/* 0 or -ENOMEM. */
int report_json(const struct theory_case *app, const struct theory_prediction *prediction,
                const struct advice *advice) MUST_CHECK;

#endif
