/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds threads that wait by spinning, which the kernel counts as work.
 *
 * The input is where a thread was from time to time while it ran (perf_sampler.h, and what threads
 * tell, libjuggle/waiting/page_samples.h). A sample counts as spinning if it lies in a loop that
 * waits (spin_code.h).
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
    int waiting_count; /* of the other samples, those in which the thread waited or was about to */
    /* The time that the thread ran during the samples, and the part of it for which samples of its
     * own work stand. Zeros if samples were lost. */
    int64_t ran_ns, work_ns;
    uint64_t where; /* the address of the last sample that spun; 0: none did */
    /* Where traps catch threads that spin in the loops of these samples. */
    int traps_count;
    struct spin_place traps[SPIN_LOOPS_MAX];
};

/* What is known of the code of a thread's process. */
struct probed_code {
    const struct runtime_code *runtime;
    const struct spin_places *places; /* where there may be traps */
};

/* Evaluates samples of a thread; reads its code if it must. -EPERM: the memory of the process may
 * not be read; -ENOTSUP: the code of this kind of processor is not known. */
int spin_see(pid_t pid, const struct probed_code *code, const struct samples *samples,
             struct spin_seen *seen) MUST_CHECK;

#endif
