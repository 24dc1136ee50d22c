/* SPDX-License-Identifier: BSD-3-Clause */
/* A rig is the simulated machine with its program: a virtual clock, run queues, phases, a barrier.
 *
 * Tasks [0, threads_count) are the program's threads, the hogs come after. Events of one instant
 * happen in a fixed order - hogs, then processors by index, then the balancer - and all randomness
 * is seeded, so equal scenarios run equally. Nothing is allocated after rig_create. */
#ifndef JUGGLE_SIM_RIG_H
#define JUGGLE_SIM_RIG_H

#include "libjuggle/engine/ports.h"
#include "tools/sim/balancer.h"
#include "tools/sim/scenario.h"

struct rig;

/* Sees what happens, for traces and pictures; every member may be NULL. */
struct rig_observer {
    void *context;
    /* The run queue of the processor was as it still is, from `from_ns` until now. */
    void (*span)(void *context, const struct rig *rig, int processor, int64_t from_ns);
    void (*moved)(void *context, const struct rig *rig, int task, int from, int to);
    void (*phase_done)(void *context, const struct rig *rig, int phase);
};

/* Whether hogs whose times are multiplied by this take turns at all, of at most a year. */
bool rig_hogs_take_turns(double scale);

/* The scenario, balancer and observer outlive the rig; the latter two may be NULL. -ENOMEM. */
int rig_create(const struct scenario *scenario, const struct load_balancer *balancer,
               const struct rig_observer *observer, struct rig **rig) MUST_CHECK;
void rig_destroy(struct rig *rig);

/* ---- the clock ---- */

int64_t rig_now_ns(const struct rig *rig);

/* Lets happen what is due until then; stops when the program is done. */
void rig_advance(struct rig *rig, int64_t until_ns);

bool rig_done(const struct rig *rig);

/* Shows the observer the spans that are still open. */
void rig_finish(struct rig *rig);

/* ---- the engine's view ---- */

/* Slots are task indexes. */
void rig_ports(struct rig *rig, struct ports *ports);

/* A balancing turn takes the processors of the domain away for the scenario's turn_cost_ns. */
void rig_charge_turn(struct rig *rig, int domain);

/* ---- views, and what balancers may do ---- */

const struct scenario *rig_scenario(const struct rig *rig);

/* Accounts are up to date for tasks on processors that were settled. */
const struct task *rig_task(const struct rig *rig, int task);
const struct runqueue *rig_queue(const struct rig *rig, int processor);
void rig_settle(struct rig *rig);

/* The share of its processor that a task in a run queue gets at the moment. */
double rig_share(const struct rig *rig, int task);

bool rig_may_run(const struct rig *rig, int task, int processor);
void rig_move(struct rig *rig, int task, int processor);

/* Of the program's threads: how often one began on another processor than it was on. */
int64_t rig_migrations_count(const struct rig *rig);

#endif
