/* SPDX-License-Identifier: BSD-3-Clause */
/* What the simulated machine asks of a kernel: where woken tasks go, and what to move when. */
#ifndef JUGGLE_SIM_BALANCER_H
#define JUGGLE_SIM_BALANCER_H

#include "libjuggle/ground/units.h"

struct rig;

struct load_balancer {
    void *context;

    /* The processor on which a task that slept goes on, within its mask. */
    int (*wake)(void *context, const struct rig *rig, int task);

    /* Tasks have left their run queues or joined others since the last call. */
    void (*react)(void *context, struct rig *rig);

    /* When it wants its next turn by the clock, INT64_MAX for never; and that turn. */
    int64_t (*next_ns)(const void *context);
    void (*turn)(void *context, struct rig *rig);
};

#endif
