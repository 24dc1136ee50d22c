/* SPDX-License-Identifier: BSD-3-Clause */
/* What the benchmark asks of the OpenMP runtime: a team, and its barrier. */
#ifndef JUGGLE_UBENCH_OMP_H
#define JUGGLE_UBENCH_OMP_H

/* Calls `member(context, index)` in every thread of a team; returns the size of the team. */
int omp_team_run(int members_count, void (*member)(void *context, int index), void *context);

/* Only within a member. */
void omp_team_barrier(void);

#endif
