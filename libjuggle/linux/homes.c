/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/homes.h"

#include <string.h>

void homes_init(struct homes *homes, const struct machine *machine, bool open)
{
    homes->machine = machine;
    homes->open = open;
    memset(homes->indexes, -1, sizeof(homes->indexes));
    cpu_mask_clear(&homes->machine_mask);
    for (int domain = 0; domain < machine->domains_count; domain++)
        cpu_mask_clear(&homes->domain_masks[domain]);
    for (int i = 0; i < machine->processors_count; i++) {
        const struct processor *processor = &machine->processors[i];
        homes->indexes[processor->os_index] = (short)i;
        cpu_mask_add(&homes->machine_mask, processor->os_index);
        cpu_mask_add(&homes->domain_masks[processor->domain], processor->os_index);
    }
}

/* The lowest bit says that the thread is set free in the domain. */
int home_of(const struct move *move)
{
    return move->to * 2 + (move->scope == SCOPE_DOMAIN);
}

int home_processor(int home)
{
    return home / 2;
}

static bool is_free(int home)
{
    return home % 2;
}

bool homes_are_kept(const struct homes *homes, int home)
{
    return homes->open && home != HOME_NONE && !is_free(home);
}

void homes_pin(const struct homes *homes, int home, struct cpu_mask *mask)
{
    cpu_mask_clear(mask);
    cpu_mask_add(mask, homes->machine->processors[home_processor(home)].os_index);
}

void homes_mask(const struct homes *homes, int home, struct cpu_mask *mask)
{
    if (homes->open || is_free(home))
        *mask = homes->domain_masks[homes->machine->processors[home_processor(home)].domain];
    else
        homes_pin(homes, home, mask);
}

bool homes_may_set(const struct homes *homes, const struct cpu_mask *mask)
{
    if (cpu_mask_count(mask) == 1)
        return cpu_mask_subset(mask, &homes->machine_mask);
    for (int domain = 0; domain < homes->machine->domains_count; domain++)
        if (cpu_mask_equal(mask, &homes->domain_masks[domain]))
            return true;
    return false;
}

int homes_processor(const struct homes *homes, int cpu)
{
    return cpu < 0 || cpu >= CPU_MASK_CPUS_MAX ? -1 : homes->indexes[cpu];
}
