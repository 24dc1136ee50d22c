/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/predict/question.h"

bool question_unequal(const struct question *question)
{
    return question->speeds.count > 0 || question->smt.factor > 0;
}

void question_build(struct question *question)
{
    const int m = question->app.m;
    int width;

    unequal_machine_begin(question->smt.factor > 0 ? question->smt.factor : 1, &question->machine);
    for (int i = 0; i < m; i += width) {
        width = speeds_paired(&question->smt, i, m) ? UNEQUAL_WIDTH_MAX : 1;
        (void)!unequal_machine_add(&question->machine, speeds_at(&question->speeds, i), width);
    }
}

enum theory_condition question_predict(const struct question *question,
                                       struct prediction *prediction)
{
    if (question_unequal(question))
        return prediction_make_unequal(&question->app, &question->machine, prediction);
    return prediction_make(&question->app, prediction);
}
