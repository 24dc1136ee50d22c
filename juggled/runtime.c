/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/runtime.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int runtime_make(const char *path)
{
    if (strncmp(path, RUNTIME_DIR "/", strlen(RUNTIME_DIR "/")) != 0)
        return 0;
    return mkdir(RUNTIME_DIR, 0755) && errno != EEXIST ? -errno : 0;
}
