/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of a kernel's load balancer to the simulated machine: it says where woken tasks go,
 * and moves tasks. */
#ifndef JUGGLE_SIM_BALANCER_H
#define JUGGLE_SIM_BALANCER_H

#include "libjuggle/ground/units.h"

struct rig;

struct load_balancer {
    void *context;

    /* Returns the processor on which a task that slept continues, within its mask. */
    int (*wake)(void *context, const struct rig *rig, int task);

    /* Called when tasks have left or joined run queues since the last call. */
    void (*react)(void *context, struct rig *rig);

    /* next_ns returns the time at which turn is to be called next, INT64_MAX for never. */
    int64_t (*next_ns)(const void *context);
    void (*turn)(void *context, struct rig *rig);
};

#endif
