/* SPDX-License-Identifier: BSD-3-Clause */
/* The only file that is compiled with -fopenmp. */
#include "tools/ubench/omp.h"

#include <omp.h>

int omp_team_run(int members_count, void (*member)(void *context, int index), void *context)
{
    int team_size = 0;

    omp_set_dynamic(0);
#pragma omp parallel num_threads(members_count)
    {
#pragma omp single
        team_size = omp_get_num_threads();
        if (team_size == members_count)
            member(context, omp_get_thread_num());
    }
    return team_size;
}

void omp_team_barrier(void)
{
#pragma omp barrier
}
