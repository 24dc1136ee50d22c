/* SPDX-License-Identifier: BSD-3-Clause */
/* The taskstats source of a build without libnl: it cannot be opened, so the rest is never
 * called. */
#include "libjuggle/linux/progress.h"

#include <errno.h>

static int taskstats_open(const struct progress_options *options, void **state)
{
    (void)options;
    (void)state;
    return -ENOTSUP;
}

const struct progress_source progress_taskstats = {
    .name = "taskstats",
    .open = taskstats_open,
};
