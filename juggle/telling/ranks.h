/* SPDX-License-Identifier: BSD-3-Clause */
/* How many ranks a command will start on this node, by the options of its launcher. */
#ifndef JUGGLE_RANKS_H
#define JUGGLE_RANKS_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

enum { RANKS_UNKNOWN = 1 << 20 }; /* as many as its launcher thinks fit */

/* 0: no launcher is named. Never less than there will be: of a command for several nodes it counts
 * all, unless it says how many a node has. */
int ranks_of_command(char *const *command);

/* Who has given this process its mask: of a rank the launcher, whatever script is between the two;
 * else the parent. */
pid_t ranks_starter(void);

/* Whether the launcher will bind them: Open MPI does unless it is told not to or starts more than
 * there are processors, MPICH if it is told to. */
bool ranks_are_bound(char *const *command, int processors);

#endif
