/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the kernel, for features that cannot be detected otherwise. */
#ifndef JUGGLE_LINUX_KERNEL_VERSION_H
#define JUGGLE_LINUX_KERNEL_VERSION_H

#include <stdbool.h>

/* False if the version cannot be read. */
bool kernel_is_at_least(int major, int minor);

#endif
