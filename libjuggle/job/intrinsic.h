/* SPDX-License-Identifier: BSD-3-Clause */
/* Intrinsic progress: adds what threads report on the page to what the kernel tells of them. Their
 * samples then say whether and for how long they wait, and what work the units that they report
 * stand for.
 *
 * A unit counts as the CPU time that units have cost so far, the mean over all threads that report:
 * so threads that report and threads that do not can be compared, and a thread whose units cost
 * more than others' falls behind. */
#ifndef JUGGLE_JOB_INTRINSIC_H
#define JUGGLE_JOB_INTRINSIC_H

#include "libjuggle/engine/ports.h"
#include "libjuggle/linux/thread_id.h"
#include "libjuggle/waiting/page.h"

struct intrinsic;

/* The thread of an index; called only for threads that the engine samples. */
struct intrinsic_threads {
    int (*id)(void *context, int index, struct thread_id *id);
    void *context;
};

/* The page outlives it. -ENOMEM. */
int intrinsic_create(int threads_max, const struct intrinsic_threads *threads, struct page *page,
                     struct intrinsic **intrinsic) MUST_CHECK;
void intrinsic_destroy(struct intrinsic *intrinsic);

/* The check that failed first, or NULL. */
const char *intrinsic_fault(const struct intrinsic *intrinsic);

/* Puts itself between the engine and these ports. To be called before the engine is created. */
void intrinsic_wrap(struct intrinsic *intrinsic, struct ports *ports);

#endif
