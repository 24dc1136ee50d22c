/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/surroundings.h"

struct load surroundings_load(const struct surroundings *surroundings,
                              const struct processes *processes)
{
    return (struct load){processes_threads(processes, surroundings->proc_fd),
                         surroundings->service_jobs.count};
}

bool load_is_same(struct load before, struct load now)
{
    return before.threads == now.threads && before.jobs == now.jobs;
}
