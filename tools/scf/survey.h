/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is to compute, counted without computing it. */
#ifndef JUGGLE_SCF_SURVEY_H
#define JUGGLE_SCF_SURVEY_H

#include "tools/scf/quadruples.h"

#include <stdio.h>

struct survey {
    int64_t surviving; /* quadruples that screening leaves */
    int64_t executed;  /* of these, those that stand for the others */
    int64_t integrals; /* of those */
    int64_t longest;   /* integrals of one, at most */
};

/* Shows a bar, if `progress`, and writes to `durations`, if that is not NULL, a line for each
 * quadruple that is executed, in the order of their numbers: the nanoseconds that it would take.
 * -ENOMEM. */
int survey_make(const struct pairs *pairs, bool progress, FILE *durations,
                struct survey *survey) MUST_CHECK;

#endif
