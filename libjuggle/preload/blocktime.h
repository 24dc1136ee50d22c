/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The block time of threads of LLVM's or Intel's OpenMP: how long they poll in their waits before
 * they sleep. It is changed beside other programs (libjuggle/waiting/patience.h).
 */
#ifndef JUGGLE_PRELOAD_BLOCKTIME_H
#define JUGGLE_PRELOAD_BLOCKTIME_H

#include <stdbool.h>

/* Call this before the first region. False: the user has chosen the block time, or the runtime has
 * none. */
bool blocktime_begin(void);

/* The calling thread begins a region with a team of this size. */
void blocktime_region(unsigned threads_count);

/* The calling thread comes to a barrier. */
void blocktime_barrier(void);

#endif
