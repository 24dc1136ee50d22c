/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intrinsic progress: units that threads report themselves take the place of CPU time in what the
 * policy sees.
 *
 * A unit counts as the CPU time that units have cost so far, the mean over all threads that report:
 * so threads that report and threads that do not can be compared, and a thread whose units cost
 * more than others' falls behind. What a sample's run time loses by this its wait time gains, since
 * the thread was not blocked.
 */
#ifndef JUGGLE_JOB_INTRINSIC_H
#define JUGGLE_JOB_INTRINSIC_H

#include "libjuggle/engine/ports.h"

#include <sys/types.h>

struct intrinsic;

/* The thread in a slot; called only for slots that the engine samples. */
struct intrinsic_threads {
    pid_t (*tid)(void *context, int slot);
    void *context;
};

int intrinsic_create(int threads_max, const struct intrinsic_threads *threads,
                     struct intrinsic **intrinsic) MUST_CHECK;
void intrinsic_destroy(struct intrinsic *intrinsic);

/* Puts itself between the engine and these ports. Before the engine is created. */
void intrinsic_wrap(struct intrinsic *intrinsic, struct ports *ports);

/* A counter for the thread. From any thread. -ENOSPC; -EEXIST: it has one. */
int intrinsic_open(struct intrinsic *intrinsic, pid_t tid, int *counter) MUST_CHECK;
void intrinsic_close(struct intrinsic *intrinsic, int counter);

/* So many units more. From any thread, and without a lock. */
void intrinsic_add(struct intrinsic *intrinsic, int counter, int64_t units);

#endif
