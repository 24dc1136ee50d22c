/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/ubench/pinning.h"

#include "libjuggle/linux/affinity.h"

#include <errno.h>

int pinning_processors_count(void)
{
    struct cpu_mask allowed;

    return affinity_get(0, &allowed) ? 1 : cpu_mask_count(&allowed);
}

int pinning_cyclic(int index, int processors_count)
{
    struct cpu_mask allowed, pinned;
    int cpu = -1;
    const int error = affinity_get(0, &allowed);

    if (error)
        return error;
    if (processors_count > cpu_mask_count(&allowed))
        return -ERANGE;
    for (int skip = index % processors_count; skip >= 0; skip--)
        cpu = cpu_mask_next(&allowed, cpu);
    cpu_mask_clear(&pinned);
    cpu_mask_add(&pinned, cpu);
    return affinity_set(0, &pinned);
}
