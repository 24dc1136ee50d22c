/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that started the ranks of an MPI program on this node. */
#ifndef JUGGLE_JOIN_LAUNCHER_H
#define JUGGLE_JOIN_LAUNCHER_H

#include <sys/types.h>

/* Returns the nearest ancestor that is not part of this rank. MPICH's launcher gives each rank
 * variables of its own: scripts and shells between the launcher and this process began with the
 * same ones. Without these variables this is the parent. */
pid_t launcher_find(void);

#endif
