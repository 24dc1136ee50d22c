/* SPDX-License-Identifier: BSD-3-Clause */
/* Short slices, for a thread that often wakes for a little work: it then runs as soon as it wakes,
 * and to the end of its work. */
#ifndef JUGGLE_LINUX_SLICE_H
#define JUGGLE_LINUX_SLICE_H

/* The calling thread asks for the shortest slice that there is, which needs no privilege; kernels
 * before 6.12, which let a sleeper preempt anyway, give none. And for the best niceness, which root
 * gets: among many threads its share would soon be spent. What it forks has neither. */
void slice_shorten(void);

#endif
