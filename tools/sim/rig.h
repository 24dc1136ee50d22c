/* SPDX-License-Identifier: BSD-3-Clause */
/* A rig is the simulated machine with its program: a virtual clock, run queues, phases, a barrier.
 *
 * Tasks [0, threads_count) are the program's threads, followed by the hogs. Events of one instant
 * happen in a fixed order - hogs, then processors by index, then the balancer - and all randomness
 * is seeded, so equal scenarios run equally. Nothing is allocated after rig_create. */
#ifndef JUGGLE_SIM_RIG_H
#define JUGGLE_SIM_RIG_H

#include "libjuggle/engine/ports.h"
#include "tools/sim/balancer.h"
#include "tools/sim/scenario.h"

struct rig;

/* Is told what happens, for traces and pictures; every member may be NULL. */
struct rig_observer {
    void *context;
    /* The run queue of the processor has not changed from `from_ns` until now. */
    void (*span)(void *context, const struct rig *rig, int processor, int64_t from_ns);
    void (*moved)(void *context, const struct rig *rig, int task, int from, int to);
    void (*phase_done)(void *context, const struct rig *rig, int phase);
};

/* True if hogs whose times are multiplied by `scale` still sleep or compute for 1 ns or more, and
 * take at most a year for both. */
bool rig_hogs_take_turns(double scale);

/* The scenario, balancer and observer must outlive the rig; the latter two may be NULL. Returns 0
 * or -ENOMEM. */
int rig_create(const struct scenario *scenario, const struct load_balancer *balancer,
               const struct rig_observer *observer, struct rig **rig) MUST_CHECK;
void rig_destroy(struct rig *rig);

/* ---- the clock ---- */

int64_t rig_now_ns(const struct rig *rig);

/* Processes all events that are due until `until_ns`; stops when the program is done. */
void rig_advance(struct rig *rig, int64_t until_ns);

bool rig_done(const struct rig *rig);

/* Shows the observer the spans that are still open. */
void rig_finish(struct rig *rig);

/* ---- the engine's view ---- */

/* Fills in the ports; their thread slots are task indexes. */
void rig_ports(struct rig *rig, struct ports *ports);

/* Takes the processors of the domain away from all tasks for the scenario's turn_cost_ns: the cost
 * of a balancing turn. */
void rig_charge_turn(struct rig *rig, int domain);

/* ---- views, and what balancers may do ---- */

const struct scenario *rig_scenario(const struct rig *rig);

/* Times of a task are up to date if its processor was settled. */
const struct task *rig_task(const struct rig *rig, int task);
const struct runqueue *rig_queue(const struct rig *rig, int processor);
void rig_settle(struct rig *rig);

/* The share of its processor that a task in a run queue gets at the moment. */
double rig_share(const struct rig *rig, int task);

bool rig_may_run(const struct rig *rig, int task, int processor);
void rig_move(struct rig *rig, int task, int processor);

/* How often threads of the program began on another processor than the one before. */
int64_t rig_migrations_count(const struct rig *rig);

#endif
