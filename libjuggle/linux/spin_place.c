/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/spin_place.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 32 };

static FILE *maps_open(int proc_fd, pid_t pid)
{
    char path[PATH_SIZE];
    int fd;
    FILE *file;

    snprintf(path, sizeof(path), "%d/maps", (int)pid);
    fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    file = fdopen(fd, "r");
    if (!file)
        close(fd);
    return file;
}

void spin_place_find(int proc_fd, pid_t pid, uint64_t address, struct spin_place *place)
{
    FILE *maps = maps_open(proc_fd, pid);
    char *line = NULL;
    size_t size = 0;

    *place = (struct spin_place){0};
    if (!maps)
        return;
    while (getline(&line, &size, maps) > 0) {
        uint64_t begin, end;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) != 2 || address < begin ||
            address >= end)
            continue;
        /* What has no file has no slash, or a name in brackets. */
        const char *slash = strrchr(line, '/');
        if (slash)
            snprintf(place->untrusted, sizeof(place->untrusted), "%.*s",
                     (int)strcspn(slash + 1, " \n"), slash + 1);
        break;
    }
    free(line);
    fclose(maps);
}
