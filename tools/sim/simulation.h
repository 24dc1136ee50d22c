/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of a scenario from its start to the program's end: a rig, and the engine that balances
 * it. */
#ifndef JUGGLE_SIM_SIMULATION_H
#define JUGGLE_SIM_SIMULATION_H

#include "libjuggle/engine/engine.h"
#include "tools/sim/rig.h"

/* Which balancer is used in this run. */
enum contender {
    CONTENDER_STATIC,   /* none: threads are distributed once and pinned; speedups refer to it */
    CONTENDER_OPPONENT, /* the scenario's opponent, alone */
    CONTENDER_POLICY,   /* the scenario's policy, above the kernel model if that is the opponent */
};

/* Observers of a run; every member may be NULL, or 0. */
struct run_observers {
    int64_t until_ns; /* when the run is given up, if it is above 0 */
    const struct rig_observer *observer;
    const struct engine_recorder *recorder;
    void *context;
    void (*before_turn)(void *context, struct rig *rig, int domain);
    void (*after_turn)(void *context, struct rig *rig, struct engine *engine, int domain);
};

struct outcome {
    int64_t completion_ns;
    int64_t rounds_count;     /* balancing turns of the policy */
    int64_t migrations_count; /* how often threads continued on another processor, for any reason */
};

/* `observers` may be NULL. Returns 0, -ENOMEM, -EINVAL if the policy refuses the machine or the
 * options, or -ETIME if the run was given up. */
int simulate(const struct scenario *scenario, enum contender contender,
             const struct run_observers *observers, struct outcome *outcome) MUST_CHECK;

#endif
