/* SPDX-License-Identifier: BSD-3-Clause */
/* Why nothing of a program, or not all of it, was balanced: in one line. Pure. */
#ifndef JUGGLE_JOB_SHORTFALL_H
#define JUGGLE_JOB_SHORTFALL_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum { SHORTFALL_SIZE = 160 };

/* What came of the threads, over the whole run. */
struct shortfall {
    bool distributed;   /* balancing began */
    bool lone;          /* there was one processor only */
    bool table_full;    /* there were more than there was room for */
    bool named;         /* names choose */
    int expected_count; /* 0: however many there would be */
    int idle_count;     /* to set aside; 0 or less: nobody said how many */
    int scan_error;     /* -errno of the last look for threads that failed; 0: none did */
    int guardian_error; /* -errno of the last time when there could be none; 0: never */
    int found_count;    /* at most at one time */
    int named_count;    /* at most at one time: those whose names are right */
    int working_count;  /* at most at one time */
    int balanced_count; /* ever */
    int pinned_count;   /* left alone, as the program had pinned them */
    int passing_count;  /* seemed pinned, and were gone before that had lasted */
    int claimed_count;  /* left alone, as another juggle balances them */
    int refused_count;  /* could not be taken */
    int refused_error;  /* of the first of them: -errno */
};

/* How many there are now. */
void shortfall_see(struct shortfall *shortfall, int found_count, int named_count,
                   int working_count);

/* One could not be taken. */
void shortfall_refuse(struct shortfall *shortfall, int error);

/* False: all was balanced, and the text is empty. */
bool shortfall_tell(const struct shortfall *shortfall, char text[SHORTFALL_SIZE]);

#endif
