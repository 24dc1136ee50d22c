/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds threads of other programs that run now, and which of them may run on one processor
 * alone. */
#ifndef JUGGLE_LINUX_PINS_H
#define JUGGLE_LINUX_PINS_H

#include "libjuggle/linux/cpu_mask.h"

struct pins {
    int threads_count;
    struct cpu_mask processors; /* that they are bound to */
    struct cpu_mask busy;       /* where any thread runs, or waits to run */
};

/* Finds the threads that are pinned to one of these processors, by the /proc of `proc_fd`. Threads
 * of the kernel and of this process are left out, and so are threads that cannot be read. */
void pins_read(int proc_fd, const struct cpu_mask *processors, struct pins *pins);

#endif
