/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that the engine needs of a world: the kernel and the simulator each fill in this
 * table. */
#ifndef JUGGLE_ENGINE_PORTS_H
#define JUGGLE_ENGINE_PORTS_H

#include "libjuggle/policy/policy.h"

/* Threads are indexes of the policy, processors of the machine. No function allocates or blocks.
 * Several threads call sample and place at once, but never for the same thread. */
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
