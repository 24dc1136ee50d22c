/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of different launchers that are bound to the same processors. */
#ifndef JUGGLE_LINUX_BINDINGS_H
#define JUGGLE_LINUX_BINDINGS_H

#include "libjuggle/linux/comm.h"
#include "libjuggle/linux/cpu_mask.h"

#include <sys/types.h>

/* By a /proc: of the ancestors of a process the nearest that is called as launchers are (mpirun,
 * hydra_pmi_proxy, slurmstepd, ...), and its name. 0: there is none, or the process is one. */
pid_t bindings_launcher(int proc_fd, pid_t pid, struct comm *name);

struct bindings {
    struct cpu_mask shared; /* processors that ranks of two launchers or more are bound to */
    pid_t launchers[2];     /* two of them; zero where none is */
    struct comm names[2];
};

/* A process is a rank if it descends from such a launcher, and bound if it may not run on all of
 * these processors. -ENOMEM. */
int bindings_read(int proc_fd, const struct cpu_mask *processors,
                  struct bindings *bindings) MUST_CHECK;

#endif
