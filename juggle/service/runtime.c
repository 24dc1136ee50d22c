/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/service/runtime.h"

#include <string.h>
#include <sys/stat.h>

void runtime_make(const char *path)
{
    if (!strncmp(path, RUNTIME_DIR "/", strlen(RUNTIME_DIR "/")))
        (void)!mkdir(RUNTIME_DIR, 0755);
}
