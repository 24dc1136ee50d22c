/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of other programs that run now, and those that may run on one processor alone. */
#ifndef JUGGLE_LINUX_PINS_H
#define JUGGLE_LINUX_PINS_H

#include "libjuggle/linux/cpu_mask.h"

struct pins {
    int threads_count;
    struct cpu_mask processors; /* that they are bound to */
    struct cpu_mask busy;       /* where anybody runs, or waits to run */
};

/* On these processors, by a /proc. The kernel's own threads are left out; what cannot be read is
 * not seen. */
void pins_read(int proc_fd, const struct cpu_mask *processors, struct pins *pins);

#endif
