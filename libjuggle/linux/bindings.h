/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of different launchers that are bound to the same processors. */
#ifndef JUGGLE_LINUX_BINDINGS_H
#define JUGGLE_LINUX_BINDINGS_H

#include "libjuggle/linux/comm.h"
#include "libjuggle/linux/cpu_mask.h"

#include <sys/types.h>

struct bindings {
    struct cpu_mask shared; /* processors that ranks of two launchers or more are bound to */
    pid_t launchers[2];     /* two of them; zero where none is */
    struct comm names[2];
};

/* By a /proc: a process is a rank if it descends from a program that is called as launchers are
 * (mpirun, hydra_pmi_proxy, slurmstepd, ...), and bound if it may not run on all of these
 * processors. -ENOMEM. */
int bindings_read(int proc_fd, const struct cpu_mask *processors,
                  struct bindings *bindings) MUST_CHECK;

#endif
