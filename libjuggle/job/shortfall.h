/* SPDX-License-Identifier: BSD-3-Clause */
/* Why nothing of a program, or not all of it, was balanced: in one line. Pure. */
#ifndef JUGGLE_JOB_SHORTFALL_H
#define JUGGLE_JOB_SHORTFALL_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum { SHORTFALL_SIZE = 160 };

/* What happened to the threads, over the whole run. */
struct shortfall {
    bool distributed;   /* balancing began */
    bool lone;          /* there was one processor only */
    bool table_full;    /* there were more threads than room */
    bool named;         /* options choose threads by their names */
    int expected_count; /* 0: any number */
    int idle_count;     /* to set aside; 0 or less: no number was given */
    int scan_error;     /* -errno of the last look for threads that failed; 0: none did */
    int guardian_error; /* -errno of the last start of a guardian that failed; 0: none did */
    int found_count;    /* at most at one time */
    int named_count;    /* at most at one time: those with a name that matches */
    int working_count;  /* at most at one time */
    int balanced_count; /* ever */
    int pinned_count;   /* left alone, as the program had pinned them */
    int passing_count;  /* seemed pinned, and ended before that was certain */
    int claimed_count;  /* left alone, as another juggle balances them */
    int refused_count;  /* could not be taken */
    int refused_error;  /* -errno of the first of these */
};

/* Notes how many there are now. */
void shortfall_see(struct shortfall *shortfall, int found_count, int named_count,
                   int working_count);

/* Notes that a thread could not be taken. */
void shortfall_refuse(struct shortfall *shortfall, int error);

/* False: all was balanced, and the text is empty. */
bool shortfall_tell(const struct shortfall *shortfall, char text[SHORTFALL_SIZE]);

#endif
