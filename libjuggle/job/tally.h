/* SPDX-License-Identifier: BSD-3-Clause */
/* How the threads of a program spent their time, balanced or not, as looks at them tell. Pure. */
#ifndef JUGGLE_JOB_TALLY_H
#define JUGGLE_JOB_TALLY_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/thread_info.h"

/* The times from the first look at each thread to the last. What it did after that is not known. */
struct tally_times {
    int64_t life_ns;
    int64_t run_ns;
    int64_t wait_ns; /* in run queues, of waits that have ended */
    int64_t stopped_ns;
};

struct program_times {
    struct tally_times all;
    struct tally_times workers;  /* while they were balanced or busy */
    struct tally_times pinned;   /* while they were bound by the program */
    struct cpu_mask pinned_cpus; /* the masks of all that ran while bound */
};

void program_times_add(struct program_times *sum, const struct program_times *more);

struct tally;

int tally_create(int threads_max, struct tally **tally) MUST_CHECK;
void tally_destroy(struct tally *tally);

/* Whether the thread was seen before, and ran or waited since: only then does its pin matter. */
bool tally_ran(const struct tally *tally, int index, const struct thread_info *info);

/* A look at the thread with this index in the roster; `pin` is NULL for one that is not bound, or
 * that did not run. */
void tally_see(struct tally *tally, int index, const struct thread_info *info, bool balanced,
               const struct cpu_mask *pin, int64_t now_ns);

const struct program_times *tally_times(const struct tally *tally);

#endif
