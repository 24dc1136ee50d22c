/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/command/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_file(const char *path, int mode)
{
    struct stat status;

    return access(path, mode) == 0 && stat(path, &status) == 0 &&
           (mode == F_OK || S_ISREG(status.st_mode));
}

bool program_find(const char *word, int mode, char path[PATH_MAX])
{
    const char *list = getenv("PATH");

    if (strchr(word, '/'))
        return snprintf(path, PATH_MAX, "%s", word) < PATH_MAX && is_file(path, mode);
    if (!list)
        list = "/bin:/usr/bin";
    while (*word) {
        const int length = (int)strcspn(list, ":");
        if (snprintf(path, PATH_MAX, "%.*s/%s", length ? length : 1, length ? list : ".", word) <
                PATH_MAX &&
            is_file(path, mode))
            return true;
        if (!list[length])
            break;
        list += length + 1;
    }
    return false;
}
