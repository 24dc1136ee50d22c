/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the members of a run as threads, processes or an OpenMP team, and waits for them all. */
#ifndef JUGGLE_UBENCH_CREW_H
#define JUGGLE_UBENCH_CREW_H

#include "libjuggle/ground/units.h"

enum crew_kind {
    CREW_THREADS,   /* the caller is member 0 */
    CREW_PROCESSES, /* the caller only waits */
    CREW_OMP,       /* the caller is member 0 */
};

typedef void crew_member(void *context, int index);

/* Runs all members to their end. Returns 0, -errno if one could not be started, or -ECHILD if a
 * process failed. On an error the caller must exit, because members may still wait for the missing
 * one. */
int crew_run(enum crew_kind kind, int members_count, crew_member *member, void *context) MUST_CHECK;

#endif
