/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/transport/binding.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { CACHES_MAX = 8 };

/* Reads the number in a sysfs file of a processor; -1 if there is none. */
static int number_read(int root, int processor, const char *name)
{
    char path[128], text[32] = "";
    int number = -1;

    snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/%s", processor, name);
    int fd = openat(root, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (read(fd, text, sizeof(text) - 1) <= 0 || sscanf(text, "%d", &number) != 1)
        number = -1;
    close(fd);
    return number;
}

static int last_cache(int root, int processor)
{
    char name[64];
    int id = -1;

    for (int index = 0; index < CACHES_MAX; index++) {
        snprintf(name, sizeof(name), "cache/index%d/id", index);
        int found = number_read(root, processor, name);

        if (found < 0)
            break;
        id = found;
    }
    return id;
}

void binding_find(int root, const cpu_set_t *processors, size_t size, int *cache, int *package)
{
    const int count = (int)(CHAR_BIT * size);
    bool first = true;

    *cache = *package = -1;
    for (int processor = 0; processor < count; processor++) {
        if (!first && *cache < 0 && *package < 0)
            return;
        if (!CPU_ISSET_S((size_t)processor, size, processors))
            continue;
        int id = last_cache(root, processor);
        int socket = number_read(root, processor, "topology/physical_package_id");

        *cache = first || *cache == id ? id : -1;
        *package = first || *package == socket ? socket : -1;
        first = false;
    }
}
