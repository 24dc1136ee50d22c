/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds ranks of different launchers that are bound to the same processors. */
#ifndef JUGGLE_LINUX_BINDINGS_H
#define JUGGLE_LINUX_BINDINGS_H

#include "libjuggle/linux/comm.h"
#include "libjuggle/linux/cpu_mask.h"

#include <sys/types.h>

/* Finds the nearest ancestor of a process that has the name of a launcher (mpirun, hydra_pmi_proxy,
 * slurmstepd, ...), by the /proc of `proc_fd`. Returns its number and sets `name`. Returns 0 if
 * there is none, or if the process is a launcher itself. */
pid_t bindings_launcher(int proc_fd, pid_t pid, struct comm *name);

struct bindings {
    struct cpu_mask shared; /* processors that ranks of two launchers or more are bound to */
    pid_t launchers[2];     /* two of these launchers; zeros if no processor is shared */
    struct comm names[2];
};

/* Finds the shared processors among these. A process is a rank if it descends from a launcher, and
 * bound if it may not run on all of these processors. Returns -ENOMEM. */
int bindings_read(int proc_fd, const struct cpu_mask *processors,
                  struct bindings *bindings) MUST_CHECK;

#endif
