/* SPDX-License-Identifier: BSD-3-Clause */
/* Short slices, for a thread that often wakes for a little work: it then runs as soon as it wakes.
 */
#ifndef JUGGLE_LINUX_SLICE_H
#define JUGGLE_LINUX_SLICE_H

/* The calling thread asks for the shortest slice that there is, which needs no privilege; what it
 * forks does not have it. Kernels before 6.12, which let a sleeper preempt anyway, do nothing. */
void slice_shorten(void);

#endif
