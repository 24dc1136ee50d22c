/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/spin_place.h"

#include "libjuggle/linux/code_map.h"

#include <stdio.h>

struct search {
    uint64_t address;
    struct spin_place *place;
};

static bool place_see(void *context, uint64_t begin, uint64_t end, const char *file)
{
    const struct search *search = context;

    if (search->address < begin || search->address >= end)
        return true;
    snprintf(search->place->untrusted, sizeof(search->place->untrusted), "%s", file);
    return false;
}

void spin_place_find(int proc_fd, pid_t pid, uint64_t address, struct spin_place *place)
{
    struct search search = {address, place};

    *place = (struct spin_place){0};
    code_map_walk(proc_fd, pid, place_see, &search);
}
