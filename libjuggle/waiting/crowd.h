/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads share how many processors, as the launchers of parallel programs tell it. */
#ifndef JUGGLE_WAITING_CROWD_H
#define JUGGLE_WAITING_CROWD_H

#include <stdbool.h>

/* Looks a variable up, as getenv does: NULL if it is not set. */
typedef char *crowd_variable(const char *name);

/* The processes of this job on this node, as its launcher says in the environment: 1 if none says.
 */
int crowd_processes(crowd_variable *variable);

/* The threads of each of them: OMP_NUM_THREADS, or 1. */
int crowd_threads(crowd_variable *variable);

/* True if all of them are more than the processors. */
bool crowd_shares(crowd_variable *variable, int processors_count);

/* The processors that this process was given; of a process that is bound to one, those that are
 * there: its neighbors are bound to others. */
int crowd_processors(void);

#endif
