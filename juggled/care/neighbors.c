/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/neighbors.h"

#include "juggled/care/service_job.h"

#include <stdlib.h>
#include <string.h>

void neighbors_threads(void *context, int counts[CPU_MASK_CPUS_MAX])
{
    const struct service_job *job;
    int cursor = 0, count;

    memset(counts, 0, CPU_MASK_CPUS_MAX * sizeof(*counts));
    while ((job = entries_next(context, &cursor))) {
        if (service_job_state(job) == SERVICE_JOB_RESTING)
            continue;
        struct job_thread *threads = service_job_threads(job, &count);
        for (int i = 0; i < count; i++)
            if (threads[i].cpu >= 0 && !threads[i].ended)
                counts[threads[i].cpu]++;
        free(threads);
    }
}
