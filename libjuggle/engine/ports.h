/* SPDX-License-Identifier: BSD-3-Clause */
/* What the engine needs of a world: the kernel and the simulator each fill this table. */
#ifndef JUGGLE_ENGINE_PORTS_H
#define JUGGLE_ENGINE_PORTS_H

#include "libjuggle/policy/policy.h"

/* Threads are the policy's indexes, processors the machine's. No function allocates or
 * blocks. sample and place are called by several threads at once, never for one thread at the same
 * time. */
struct ports {
    void *world;

    int64_t (*now)(void *world);

    /* Fills in what it knows, but not sample.thread. At the call, processor is -1 and all else 0.
     * -ESRCH: the thread is gone. */
    int (*sample)(void *world, int thread, struct sample *sample);

    /* Sets the thread's mask as the move says. -ESRCH: the thread is gone; -EPERM, -EBUSY, -EINVAL,
     * -ENOTSUP: it stays where it was (not ours, placed by the program, the processor is no longer
     * allowed, or the kernel binds none of its kind). */
    int (*place)(void *world, int thread, const struct move *move);
};

#endif
