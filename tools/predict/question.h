/* SPDX-License-Identifier: BSD-3-Clause */
/* The question that a user asks: a case of the theory, on equal processors or on processors with
 * given speeds. */
#ifndef JUGGLE_PREDICT_QUESTION_H
#define JUGGLE_PREDICT_QUESTION_H

#include "cli/speeds.h"
#include "libjuggle/theory/prediction.h"

struct question {
    struct theory_case app;
    struct speeds speeds;
    struct speeds_smt smt;
    struct unequal_machine machine; /* if question_unequal() */
};

/* True if speeds or siblings were given, whether they are equal or not. */
bool question_unequal(const struct question *question);

/* Builds the machine of an unequal question. Its speeds must have been checked. */
void question_build(struct question *question);

enum theory_condition question_predict(const struct question *question,
                                       struct prediction *prediction) MUST_CHECK;

#endif
