/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations are the theory's results one by one, each with its value or the condition that it
 * needs. */
#ifndef JUGGLE_PREDICT_EQUATIONS_H
#define JUGGLE_PREDICT_EQUATIONS_H

#include "tools/predict/question.h"

enum { EQUATIONS_MAX = 24 };

struct equation {
    const char *number; /* "(14)" */
    const char *text;
    enum theory_condition condition;
    bool counted; /* the value is a number, not nanoseconds */
    double value; /* if the condition holds */
};

/* Lists the equations for the question's case. Returns how many there are. */
int equations_list(const struct question *question, struct equation list[EQUATIONS_MAX]);

#endif
