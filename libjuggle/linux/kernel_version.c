/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/kernel_version.h"

#include <stdio.h>
#include <sys/utsname.h>

bool kernel_is_at_least(int major, int minor)
{
    struct utsname name;
    int has_major = 0, has_minor = 0;

    if (uname(&name) || sscanf(name.release, "%d.%d", &has_major, &has_minor) != 2)
        return false;
    return has_major > major || (has_major == major && has_minor >= minor);
}
