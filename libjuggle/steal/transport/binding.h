/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the cache and the package that a rank's processors share, as the kernel describes them. */
#ifndef JUGGLE_STEAL_TRANSPORT_BINDING_H
#define JUGGLE_STEAL_TRANSPORT_BINDING_H

#include <sched.h>
#include <stddef.h>

/* Sets `cache` and `package` to the last-level cache and the package that all of these processors
 * share, or to -1 if there is no single one. `size` is that of the set in bytes. Paths begin at
 * `root`. */
void binding_find(int root, const cpu_set_t *processors, size_t size, int *cache, int *package);

#endif
