/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/predict/question.h"

#include <errno.h>

bool question_unequal(const struct question *question)
{
    return question->speeds.count > 0 || question->smt.factor > 0;
}

int question_build(struct question *question, int *core)
{
    const int m = question->app.m;
    const double smt = question->smt.factor > 0 ? question->smt.factor : 1;
    int width;

    unequal_machine_begin(smt, &question->machine);
    for (int i = 0; i < m; i += width) {
        const double speed = speeds_at(&question->speeds, i);

        width = speeds_paired(&question->smt, i, m) ? UNEQUAL_WIDTH_MAX : 1;
        if (speed != speeds_at(&question->speeds, i + width - 1) ||
            unequal_machine_add(&question->machine, speed, width)) {
            *core = i;
            return -EINVAL;
        }
    }
    return 0;
}

enum theory_condition question_predict(const struct question *question,
                                       struct prediction *prediction)
{
    if (question_unequal(question))
        return prediction_make_unequal(&question->app, &question->machine, prediction);
    return prediction_make(&question->app, prediction);
}
