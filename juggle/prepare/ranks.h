/* SPDX-License-Identifier: BSD-3-Clause */
/* How many ranks a command will start on this node, as the options of its launcher say. */
#ifndef JUGGLE_RANKS_H
#define JUGGLE_RANKS_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

enum { RANKS_UNKNOWN = 1 << 20 }; /* the launcher chooses the number */

/* 0: the command has no launcher. Never less than the ranks that will be started here: for a
 * command on several nodes it counts all, unless an option says how many a node has. */
int ranks_of_command(char *const *command);

/* Returns the process that gave this process its mask: the launcher if this is a rank, even if a
 * script is between the two; otherwise the parent. */
pid_t ranks_starter(void);

/* True if the launcher will bind the ranks. Open MPI does, unless it is told not to or starts
 * more ranks than there are processors; MPICH and srun do if they are told to. */
bool ranks_are_bound(char *const *command, int processors);

#endif
