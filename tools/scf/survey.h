/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the tasks and integrals without computing them. */
#ifndef JUGGLE_SCF_SURVEY_H
#define JUGGLE_SCF_SURVEY_H

#include "tools/scf/quadruples.h"

#include <stdio.h>

struct survey {
    int64_t surviving; /* quadruples that screening leaves */
    int64_t executed;  /* surviving quadruples in canonical order, which stand for the others */
    int64_t integrals; /* integrals of these */
    int64_t longest;   /* the most integrals of one quadruple */
};

/* Makes a survey, with a progress bar if `progress`. Unless `durations` is NULL, writes a line to
 * it for each quadruple that would be executed, in the order of their numbers: the estimated
 * duration in nanoseconds. Returns 0 or -ENOMEM. */
int survey_make(const struct pairs *pairs, bool progress, FILE *durations,
                struct survey *survey) MUST_CHECK;

#endif
