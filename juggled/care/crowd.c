/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/crowd.h"

#include "juggled/care/charge.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1024 }; /* of a neighbor */

void crowd_count(void *context, int crowd[CPU_MASK_CPUS_MAX])
{
    const struct entries *charges = context;
    struct job_thread *threads = calloc(THREADS_MAX, sizeof(*threads));
    struct charge *charge;
    int cursor = 0;

    memset(crowd, 0, CPU_MASK_CPUS_MAX * sizeof(*crowd));
    while (threads && (charge = entries_next(charges, &cursor))) {
        if (charge_state(charge) == CHARGE_RESTING)
            continue;
        const int count = charge_threads(charge, threads, THREADS_MAX);
        for (int j = 0; j < count && j < THREADS_MAX; j++)
            if (threads[j].cpu >= 0 && !threads[j].ended)
                crowd[threads[j].cpu]++;
    }
    free(threads);
}
