/* SPDX-License-Identifier: BSD-3-Clause */
/* The work of a phase: a chain of dependent arithmetic operations, counted in iterations,
 * optionally with memory accesses. */
#ifndef JUGGLE_UBENCH_WORK_H
#define JUGGLE_UBENCH_WORK_H

#include "libjuggle/ground/units.h"

struct work {
    uint64_t value;           /* end of the chain so far; keeps the compiler from dropping it */
    volatile uint64_t *lines; /* the memory that is streamed through, or NULL */
    size_t lines_count;       /* cache lines in it */
    size_t next_line;
};

/* Allocates `footprint_size` bytes of memory, 0 for none, and touches them. Returns 0 or -errno. */
int work_init(struct work *work, size_t footprint_size) MUST_CHECK;
void work_destroy(struct work *work);

void work_run(struct work *work, uint64_t iterations);

/* Returns how many iterations take `phase_ns` on a dedicated processor. Uses the fastest of several
 * short runs, in CPU time, because the rest of the machine disturbed it least. */
uint64_t work_calibrate(struct work *work, int64_t phase_ns);

#endif
