/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long threads of LLVM's or Intel's OpenMP look on in their waits before they sleep: their
 * block time, which is changed beside other programs (libjuggle/waiting/patience.h).
 */
#ifndef JUGGLE_PRELOAD_BLOCKTIME_H
#define JUGGLE_PRELOAD_BLOCKTIME_H

#include <stdbool.h>

/* False: the user has chosen, or it is not to be had. Before the first region. */
bool blocktime_begin(void);

/* The calling thread begins a region with a team of this size. */
void blocktime_region(unsigned threads_count);

/* It comes to a barrier. */
void blocktime_barrier(void);

#endif
