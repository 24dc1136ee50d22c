/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports print a prediction, as a table or as JSON. */
#ifndef JUGGLE_PREDICT_REPORT_H
#define JUGGLE_PREDICT_REPORT_H

#include "tools/predict/advice.h"

void report_table(const struct question *question, const struct prediction *prediction,
                  const struct period_advice *advice);

/* Prints every equation with its value. */
void report_equations(const struct question *question);

/* Prints JSON, with the equations if `equations`. Returns 0 or -ENOMEM. */
int report_json(const struct question *question, const struct prediction *prediction,
                const struct period_advice *advice, bool equations) MUST_CHECK;

#endif
