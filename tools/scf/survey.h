/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is to compute, counted without computing it. */
#ifndef JUGGLE_SCF_SURVEY_H
#define JUGGLE_SCF_SURVEY_H

#include "tools/scf/quadruples.h"

struct survey {
    int64_t surviving; /* quadruples that screening leaves */
    int64_t executed;  /* of these, those that stand for the others */
    int64_t integrals; /* of those */
    int64_t longest;   /* integrals of one, at most */
};

/* Callbacks for observers of a survey; each may be NULL. */
struct survey_watch {
    /* Each quadruple that is executed, in the order of their numbers. */
    void (*met)(void *context, int64_t integrals);
    /* Now and then: 0 to 1 of it is done. */
    void (*advanced)(void *context, double share);
    void *context;
};

/* -ENOMEM. */
int survey_make(const struct pairs *pairs, const struct survey_watch *watch,
                struct survey *survey) MUST_CHECK;

#endif
