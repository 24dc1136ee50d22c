/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads of a parallel program share how many processors, by what its launcher says in
 * the environment. */
#ifndef JUGGLE_WAITING_CROWD_H
#define JUGGLE_WAITING_CROWD_H

#include <stdbool.h>

/* Looks an environment variable up, as getenv does: NULL if it is not set. */
typedef char *crowd_variable(const char *name);

/* Returns the number of processes of this job on this node, as its launcher says in the
 * environment; 1 if it says nothing. */
int crowd_processes(crowd_variable *variable);

/* Returns the number of threads of each process: OMP_NUM_THREADS, or 1. */
int crowd_threads(crowd_variable *variable);

/* True if the processes of the job have more threads than there are processors. */
bool crowd_oversubscribes(crowd_variable *variable, int processors_count);

/* Returns the number of processors in the affinity mask of this process. If it is bound to one,
 * returns the number of processors online, because the other processes of the job are bound to
 * others. */
int crowd_processors(void);

#endif
