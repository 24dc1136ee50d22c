/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/ubench/pinning.h"

#include <errno.h>
#include <sched.h>

int pinning_processors_count(void)
{
    cpu_set_t allowed;

    return sched_getaffinity(0, sizeof(allowed), &allowed) ? 1 : CPU_COUNT(&allowed);
}

int pinning_cyclic(int index, int processors_count)
{
    cpu_set_t allowed, pinned;
    int skip = index % processors_count;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof(allowed), &allowed))
        return -errno;
    if (processors_count > CPU_COUNT(&allowed))
        return -ERANGE;
    while (!CPU_ISSET(cpu, &allowed) || skip--)
        cpu++;
    CPU_ZERO(&pinned);
    CPU_SET(cpu, &pinned);
    return sched_setaffinity(0, sizeof(pinned), &pinned) ? -errno : 0;
}
