/* SPDX-License-Identifier: BSD-3-Clause */
/* Short slices, for a thread that often wakes for a little work: it then runs as soon as it wakes,
 * and to the end of its work. */
#ifndef JUGGLE_LINUX_SLICE_H
#define JUGGLE_LINUX_SLICE_H

/* Asks for the shortest slice that there is for the calling thread, which needs no privilege.
 * Kernels before 6.12 have no such slices, but let a thread that wakes preempt anyway. Also asks
 * for the best niceness, which root gets, because among many threads the thread would soon have
 * used up its share. Its children inherit neither. */
void slice_shorten(void);

#endif
