/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sees threads that wait by spinning, which the kernel counts as work.
 *
 * What is known is where a thread was from time to time while it ran (perf_sampler.h, and what
 * threads tell, libjuggle/waiting/page_samples.h). A sample counts as spinning if it lies in a loop
 * that waits (spin_code.h).
 */
#ifndef JUGGLE_LINUX_SPIN_H
#define JUGGLE_LINUX_SPIN_H

#include "libjuggle/ground/units.h"
#include "libjuggle/linux/code_map.h"
#include "libjuggle/linux/samples.h"
#include "libjuggle/linux/spin_trap.h"

#include <stdbool.h>

enum { SPIN_LOOPS_MAX = 8 };

struct spin_seen {
    int samples_count; /* in the program's code, not in the kernel */
    int spinning_count;
    int waiting_count; /* of the others, those in which it waited or was about to */
    /* Of the time of the samples: what the thread ran, and the part of it for which samples of its
     * own work stand. Zeros where some were lost. */
    int64_t ran_ns, work_ns;
    uint64_t where; /* an address of the last that spun; 0: none did */
    /* Where a trap catches who spins in the loops of these samples. */
    int traps_count;
    struct spin_place traps[SPIN_LOOPS_MAX];
};

/* What is known of the code of a thread's process. */
struct probed_code {
    const struct runtime_code *runtime;
    const struct spin_places *places; /* where there may be traps */
};

/* What samples of a thread show; reads its code where it must. -EPERM: the memory of the process
 * may not be read; -ENOTSUP: the code of this kind of processor is not known. */
int spin_see(pid_t pid, const struct probed_code *code, const struct samples *samples,
             struct spin_seen *seen) MUST_CHECK;

#endif
