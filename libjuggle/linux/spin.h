/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sees threads that wait by spinning, which the kernel counts as work.
 *
 * A probe samples the instruction pointer of a thread while it runs in user mode, by a software
 * clock of perf: no hardware counter, and no privilege for threads of one's own up to
 * kernel.perf_event_paranoid 2. A sample counts as spinning if it lies in a loop that waits
 * (spin_code.h). An open probe costs its thread about a microsecond at each context switch: open it
 * for a moment.
 */
#ifndef JUGGLE_LINUX_SPIN_H
#define JUGGLE_LINUX_SPIN_H

#include "libjuggle/ground/units.h"
#include "libjuggle/linux/code_map.h"
#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/spin_trap.h"
#include "libjuggle/linux/thread_id.h"

#include <stdbool.h>

enum { SPIN_LOOPS_MAX = 8 };

struct spin_seen {
    int samples_count;
    int spinning_count;
    int waiting_count; /* of the others, those in which it waited or was about to */
    /* Of the time since the probe was opened: so long the thread ran, and so much of it the samples
     * of its own work stand for. Zeros where some were lost. */
    int64_t ran_ns, work_ns;
    uint64_t where; /* an address of the last that spun; 0: none did */
    /* Where a trap catches who spins in the loops of these samples. */
    int traps_count;
    struct spin_place traps[SPIN_LOOPS_MAX];
};

struct spin_probe;

/* What is known of the code of a thread's process; outlives the probes. */
struct probed_code {
    const struct runtime_code *runtime;
    const struct spin_places *places; /* where there may be traps */
};

/* Begins to sample a thread each `period_ns` of its run time. -EACCES, -EPERM: perf is refused;
 * -ENOTSUP: this kernel or this kind of processor has none; -ESRCH, -EMFILE, -ENOMEM. */
int spin_probe_open(const struct thread_id *id, int64_t period_ns, const struct probed_code *code,
                    struct spin_probe **probe) MUST_CHECK;

/* What was sampled since the last call, to be asked once where times matter; reads the code of the
 * thread where it must. -EPERM: the memory of the process may not be read, nothing counts as
 * spinning. */
int spin_probe_read(struct spin_probe *probe, struct spin_seen *seen) MUST_CHECK;

void spin_probe_close(struct spin_probe *probe);

#endif
