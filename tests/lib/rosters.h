/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a thread in a roster. */
#ifndef JUGGLE_TESTS_LIB_ROSTERS_H
#define JUGGLE_TESTS_LIB_ROSTERS_H

#include "libjuggle/job/roster.h"

/* Returns the thread's index, or -1 if it is not known. */
static inline int roster_index(const struct roster *roster, pid_t tid)
{
    for (int i = 0; i < roster_limit(roster); i++)
        if (roster_thread(roster, i) && roster_thread(roster, i)->id.tid == tid)
            return i;
    return -1;
}

#endif
