/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kernel this is, where it cannot be asked for what it offers. */
#ifndef JUGGLE_LINUX_KERNEL_VERSION_H
#define JUGGLE_LINUX_KERNEL_VERSION_H

#include <stdbool.h>

/* False where that cannot be told. */
bool kernel_is_at_least(int major, int minor);

#endif
