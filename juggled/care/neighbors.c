/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/neighbors.h"

#include "juggled/care/service_job.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1024 }; /* of a neighbor */

void neighbors_threads(void *context, int counts[CPU_MASK_CPUS_MAX])
{
    const struct entries *service_jobs = context;
    struct job_thread *threads = calloc(THREADS_MAX, sizeof(*threads));
    struct service_job *job;
    int cursor = 0;

    memset(counts, 0, CPU_MASK_CPUS_MAX * sizeof(*counts));
    while (threads && (job = entries_next(service_jobs, &cursor))) {
        if (service_job_state(job) == SERVICE_JOB_RESTING)
            continue;
        const int count = service_job_threads(job, threads, THREADS_MAX);
        for (int j = 0; j < count && j < THREADS_MAX; j++)
            if (threads[j].cpu >= 0 && !threads[j].ended)
                counts[threads[j].cpu]++;
    }
    free(threads);
}
