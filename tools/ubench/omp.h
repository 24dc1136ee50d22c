/* SPDX-License-Identifier: BSD-3-Clause */
/* A team of the OpenMP runtime, and its barrier. */
#ifndef JUGGLE_UBENCH_OMP_H
#define JUGGLE_UBENCH_OMP_H

/* Calls `member(context, index)` in every thread of a team of members_count. Returns the size of
 * the team; if that is another one, `member` is not called. */
int omp_team_run(int members_count, void (*member)(void *context, int index), void *context);

/* To be called only within a member. */
void omp_team_barrier(void);

#endif
