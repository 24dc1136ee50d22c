/* SPDX-License-Identifier: BSD-3-Clause */
/* Why nothing of a program, or not all of it, was balanced: in one line. Pure. */
#ifndef JUGGLE_JOB_SHORTFALL_H
#define JUGGLE_JOB_SHORTFALL_H

#include "libjuggle/policy/units.h"

#include <stdbool.h>

enum { SHORTFALL_SIZE = 160 };

/* What came of the threads, over the whole run. */
struct shortfall {
    bool distributed;   /* balancing began */
    bool lone;          /* there was one processor only */
    bool crowded;       /* there were more than there was room for */
    int expected_count; /* 0: however many there would be */
    int found_count;    /* at most at one time */
    int working_count;  /* at most at one time */
    int balanced_count; /* ever */
    int placed_count;   /* left alone, as the program had pinned them */
    int refused_count;  /* could not be taken */
};

/* False: all was balanced, and the text is empty. */
bool shortfall_tell(const struct shortfall *shortfall, char text[SHORTFALL_SIZE]);

#endif
