/* SPDX-License-Identifier: BSD-3-Clause */
/* What the processors that a rank is bound to share, as the kernel tells. */
#ifndef JUGGLE_STEAL_TRANSPORT_BINDING_H
#define JUGGLE_STEAL_TRANSPORT_BINDING_H

#include <sched.h>
#include <stddef.h>

/* The last cache and the package of all of these processors, a set of `size` bytes; -1 where there
 * is no single one. Paths begin at `root`. */
void binding_find(int root, const cpu_set_t *processors, size_t size, int *cache, int *package);

#endif
