/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/simulation.h"

#include "tools/sim/kernel.h"
#include "tools/sim/reactive.h"

#include <errno.h>

/* The time after the start at which libjuggle/job/spin_trial.c knows whether threads spin. */
#define SPINNING_KNOWN_NS (40 * NSEC_PER_MSEC)

static const struct run_observers no_observers;

struct simulation {
    const struct scenario *scenario;
    enum contender contender;
    const struct run_observers *observers;
    struct kernel *kernel;
    struct load_balancer balancer;
    bool balancer_used;
    bool told_of_spinning;
    struct rig *rig;
    struct engine *engine; /* NULL if the opponent runs alone */
};

static int balancer_open(struct simulation *simulation)
{
    const bool alone = simulation->contender == CONTENDER_OPPONENT;
    int error = 0;

    if (simulation->contender == CONTENDER_STATIC)
        return 0;
    switch (simulation->scenario->opponent) {
    case OPPONENT_NONE:
        break;
    case OPPONENT_REACTIVE:
        simulation->balancer = reactive_balancer();
        simulation->balancer_used = alone;
        break;
    case OPPONENT_KERNEL:
        error = kernel_create(simulation->scenario, &simulation->kernel);
        if (error)
            break;
        simulation->balancer = kernel_balancer(simulation->kernel);
        simulation->balancer_used = true;
        break;
    }
    return error;
}

static int threads_enlist(struct simulation *simulation)
{
    for (int i = 0; i < simulation->scenario->threads_count; i++) {
        int slot;
        int error = engine_thread_reserve(simulation->engine, &slot);

        if (error)
            return error;
        engine_thread_arrived(simulation->engine, slot, -1);
    }
    return 0;
}

static int engine_open(struct simulation *simulation)
{
    struct policy_options options = simulation->scenario->policy;
    struct ports ports;
    int error;

    if (simulation->contender == CONTENDER_OPPONENT)
        return 0;
    if (simulation->contender == CONTENDER_STATIC)
        options.kind = POLICY_STATIC;
    rig_ports(simulation->rig, &ports);
    error = engine_create(&simulation->scenario->machine, &options, &ports,
                          simulation->observers->recorder, &simulation->engine);
    if (!error)
        error = threads_enlist(simulation);
    if (!error)
        engine_start(simulation->engine);
    return error;
}

static int64_t engine_due_ns(const struct simulation *simulation)
{
    int64_t due_ns = INT64_MAX;

    if (simulation->contender != CONTENDER_POLICY)
        return due_ns;
    for (int i = 0; i < simulation->scenario->machine.domains_count; i++)
        due_ns = min_i64(due_ns, engine_next_ns(simulation->engine, i));
    return due_ns;
}

static void engine_take_turns(struct simulation *simulation)
{
    const struct run_observers *observers = simulation->observers;

    for (int i = 0; i < simulation->scenario->machine.domains_count; i++) {
        if (engine_next_ns(simulation->engine, i) > rig_now_ns(simulation->rig))
            continue;
        if (observers->before_turn)
            observers->before_turn(observers->context, simulation->rig, i);
        engine_turn(simulation->engine, i);
        rig_charge_turn(simulation->rig, i);
        if (observers->after_turn)
            observers->after_turn(observers->context, simulation->rig, simulation->engine, i);
    }
}

/* Tells the engine once that no thread spins if threads sleep at barriers, as the live balancer
 * does after it has sampled where threads run. */
static void tell_of_spinning(struct simulation *simulation)
{
    if (simulation->contender != CONTENDER_POLICY || simulation->told_of_spinning ||
        simulation->scenario->barrier != BARRIER_BLOCK ||
        rig_now_ns(simulation->rig) < SPINNING_KNOWN_NS)
        return;
    simulation->told_of_spinning = true;
    engine_spinning(simulation->engine, SPINNING_NONE);
}

static int run(struct simulation *simulation)
{
    const int64_t asked_ns = simulation->observers->until_ns;
    const int64_t until_ns = asked_ns > 0 ? asked_ns : INT64_MAX;

    for (;;) {
        tell_of_spinning(simulation);
        rig_advance(simulation->rig, min_i64(engine_due_ns(simulation), until_ns));
        if (rig_done(simulation->rig))
            break;
        if (rig_now_ns(simulation->rig) >= until_ns)
            return -ETIME;
        engine_take_turns(simulation);
    }
    rig_finish(simulation->rig);
    return 0;
}

static void conclude(const struct simulation *simulation, struct outcome *outcome)
{
    struct engine_statistics statistics = {0};

    if (simulation->engine)
        engine_statistics(simulation->engine, &statistics);
    *outcome = (struct outcome){
        .completion_ns = rig_now_ns(simulation->rig),
        .rounds_count = statistics.rounds_count,
        .migrations_count = rig_migrations_count(simulation->rig),
    };
}

int simulate(const struct scenario *scenario, enum contender contender,
             const struct run_observers *observers, struct outcome *outcome)
{
    struct simulation simulation = {
        .scenario = scenario,
        .contender = contender,
        .observers = observers ? observers : &no_observers,
    };
    int error = balancer_open(&simulation);

    if (!error)
        error = rig_create(scenario, simulation.balancer_used ? &simulation.balancer : NULL,
                           simulation.observers->observer, &simulation.rig);
    if (!error)
        error = engine_open(&simulation);
    if (!error)
        error = run(&simulation);
    if (!error)
        conclude(&simulation, outcome);
    engine_destroy(simulation.engine);
    rig_destroy(simulation.rig);
    kernel_destroy(simulation.kernel);
    return error;
}
