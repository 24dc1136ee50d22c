/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the options of a question into the settings of a simulation. */
#include "libjuggle/steal/protocol/victims.h"
#include "tools/steal-sim/settings.h"
#include "tools/uts/strategies.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum {
    BYTES_PER_MIB = 1 << 20,
    BYTES_PER_GIB = 1 << 30,
    RANKS_MAX = 1 << 20,
    LIFELINES_MOST = 30,
    TREE_BATCH = 64,
    ITERATIONS = 5,
    ITERATIONS_MAX = 1000000
};

/* The kernel lets a process have 65,530 mappings. Mappings below 2 MiB are adjacent and count as
 * one; larger ones are aligned, and each counts. */
enum { MEMORY_MIB = 64, MEMORY_MIB_SMALL = 1, RANKS_ALIGNED = 16384 };

static const char *const program = "steal-sim";

static int refuse(const char *option, const char *value, const char *expected)
{
    complain(program, "--%s: '%s' is not usable: expected %s", option, value, expected);
    return -EINVAL;
}

/* Complains that an option has no effect, because `asked` is not `needed`. */
static int misplaced(const char *option, const char *needed, const char *asked)
{
    complain(program, "--%s has no effect: it needs %s, and '%s' is not one", option, needed,
             asked);
    return -EINVAL;
}

/* Checks limits that the parsers of the options do not know. */
static int question_check(const struct question *question)
{
    const struct {
        const char *option;
        int asked, most;
    } limits[] = {
        {"ranks", question->ranks, RANKS_MAX},
        {"batch", question->batch, EXPANDER_BATCH},
        {"lifelines", question->lifelines, LIFELINES_MOST},
        {"iterations", question->iterations, ITERATIONS_MAX},
    };

    for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
        if (limits[i].asked <= limits[i].most)
            continue;
        complain(program, "--%s: %d is not usable: expected at most %d", limits[i].option,
                 limits[i].asked, limits[i].most);
        return -EINVAL;
    }
    return 0;
}

/* An option, and the kind of workload or scheme that it needs. */
struct fit {
    const char *option, *needed;
    bool idle; /* it was given and would have no effect */
};

static int fits_check(const struct fit *fits, size_t count, const char *asked)
{
    for (size_t i = 0; i < count; i++)
        if (fits[i].idle)
            return misplaced(fits[i].option, fits[i].needed, asked);
    return 0;
}

static int work_fit(const struct question *question, enum work_kind kind)
{
    const bool tree = kind == WORK_TREE;
    const bool random = kind == WORK_EXPONENTIAL || kind == WORK_LOGNORMAL;
    const struct fit fits[] = {
        {"tree", "a tree", question->tree && !tree},
        {"visit", "a tree", question->visit_ns > 0 && !tree},
        {"batch", "a tree", question->batch > 0 && !tree},
        {"tasks", "a random set of tasks", question->tasks_count > 0 && !random},
        {"iterations", "a set of tasks", question->iterations > 0 && tree},
        {"mean", "a set of tasks", question->mean_ns > 0 && tree},
        {"noise", "a set of tasks", question->noise > 0 && tree},
        {"drift", "a set of tasks", question->drift > 0 && tree},
        {"first-static", "a set of tasks", question->first_static && tree},
        {"start", "a set of tasks", question->start != START_DEALT && tree},
        {"order", "a set of tasks", question->order != STEAL_ORDER_EXECUTED && tree},
        {"tolerance", "a set of tasks", question->tolerance > 0 && tree},
        {"arity", "a set of tasks", question->arity > 0 && tree},
    };

    return fits_check(fits, ARRAY_COUNT(fits), question->workload);
}

static int scheme_fit(const struct question *question, const struct scheme *scheme)
{
    const bool begins = scheme->steals_first && !question->first_static;
    const bool steals = scheme->steals || begins;
    const bool by_tree = scheme->balances && scheme->balancer == STEAL_BALANCER_HIERARCHICAL;
    const struct fit fits[] = {
        {"first-static", "a scheme that begins with steals",
         question->first_static && !scheme->steals_first},
        {"victim", "a scheme that steals", question->victim >= 0 && !steals},
        {"amount", "a scheme that steals", question->amount >= 0 && !steals},
        {"lifelines", "a scheme that steals", question->lifelines >= 0 && !steals},
        {"order", "a scheme that keeps tasks",
         question->order != STEAL_ORDER_EXECUTED && scheme->seed != SEED_KEPT},
        {"tolerance", "a scheme that balances", question->tolerance > 0 && !scheme->balances},
        {"arity", "a scheme that balances by a tree", question->arity > 0 && !by_tree},
    };

    return fits_check(fits, ARRAY_COUNT(fits), question->scheme);
}

/* Complains about the first option that would have no effect on this workload or scheme. Schemes of
 * a tree need no check, because they all steal. */
static int options_fit(const struct question *question, enum work_kind kind)
{
    const struct scheme *scheme = kind == WORK_TREE ? NULL : scheme_find(question->scheme);
    const int error = work_fit(question, kind);

    return error < 0 || !scheme ? error : scheme_fit(question, scheme);
}

int question_settle(struct question *question)
{
    struct work_settings work;

    work_named(question->workload, &work);
    if (!question->scheme)
        question->scheme = work.kind == WORK_TREE ? "tofu-half" : "retain";
    const int error = options_fit(question, work.kind);
    if (error < 0)
        return error;
    if (!question->tree)
        question->tree = "T3";
    if (question->iterations == 0)
        question->iterations = ITERATIONS;
    return 0;
}

static void override(int64_t *target, int64_t asked)
{
    if (asked >= 0)
        *target = asked;
}

static int machine_prepare(const struct question *question, const struct preset *preset,
                           struct prepared *prepared)
{
    struct machine_settings machine = preset->machine;
    const char *const network = question->topology ? question->topology : question->preset;
    const char *expected;
    int error;

    if (question->mapping && mapping_parse(question->mapping, &machine.mapping, &expected) < 0)
        return refuse("mapping", question->mapping, expected);
    if (question->topology && topology_parse(question->topology, &machine.topology, &expected) < 0)
        return refuse("topology", question->topology, expected);
    if (question->links && machine.topology.kind != TOPOLOGY_GRID)
        return misplaced("links", "a torus or a mesh", network);
    if (question->hop_ns >= 0 && machine.topology.kind == TOPOLOGY_FLAT)
        return misplaced("hop", "a network of several hops", network);
    machine.crowded_links = question->links;
    override(&machine.latency_ns, question->latency_ns);
    override(&machine.hop_ns, question->hop_ns);
    override(&machine.local_ns, question->local_ns);
    override(&machine.costs.send_ns, question->overhead_ns);
    override(&machine.costs.receive_ns, question->overhead_ns);
    override(&machine.costs.poll_ns, question->poll_cost_ns);
    override(&machine.costs.gap_ns, question->gap_ns);
    /* If messages arrived at the time at which they are sent, time would never advance. */
    machine.latency_ns = max_i64(machine.latency_ns, 1);
    machine.local_ns = max_i64(machine.local_ns, 1);
    error = machine_open(&machine, question->ranks, &prepared->machine);
    if (error == -ERANGE)
        complain(program, "--topology: '%s' has fewer nodes than the %d that %d ranks need",
                 question->topology, machine_nodes(&machine, question->ranks), question->ranks);
    else if (error < 0)
        complain(program, "no memory for a machine of %d ranks", question->ranks);
    return error;
}

/* Returns the limit of the time of all tasks: even if the slowest rank executes all of them, a
 * clock of nanoseconds does not overflow. */
static int64_t work_most_ns(const struct question *question)
{
    const double factor = question->stragglers.factor > 1 ? question->stragglers.factor : 1;
    const double share = 1 - question->os_noise.share;

    return (int64_t)((double)(INT64_MAX / 4) * share / factor);
}

static int work_prepare(const struct question *question, struct work_settings *settings,
                        struct workload *work)
{
    int64_t line = 0;
    int error;

    if (question->tasks_count > 0 && settings->tasks_count > 0)
        settings->tasks_count = question->tasks_count;
    if (question->mean_ns > 0)
        settings->mean_ns = question->mean_ns;
    settings->seed = question->seed;
    error = work_open(settings, work, &line);
    if (error == -EBADMSG && line == 0)
        complain(program, "%s has no line: expected one of nanoseconds for each task",
                 settings->path);
    else if (error == -EBADMSG)
        complain(program, "%s, line %" PRId64 ": expected a task's nanoseconds, 1 or more",
                 settings->path, line);
    else if (error == -ENOENT)
        complain(program,
                 "--workload: '%s' is neither a workload (uts, hf, hf-be512, hf-be512-20, tce, "
                 "exponential, lognormal) nor a file",
                 question->workload);
    else if (error < 0)
        complain(program, "%s: %s", question->workload, strerror(-error));
    else if (work->total_s * question->iterations >=
             (double)work_most_ns(question) / (double)NSEC_PER_SEC) {
        complain(
            program,
            "--mean: tasks that take %.3g s together, over %d iterations, do not fit into a clock "
            "of nanoseconds",
            work->total_s, question->iterations);
        return -EINVAL;
    }
    return error;
}

/* ---- how work is shared out ---------------------------------------------------------------- */

static int tree_prepare(const struct question *question, const struct preset *preset,
                        struct simulation_settings *simulation)
{
    const struct strategy *strategy = strategy_find(question->scheme);
    const char *expected;

    if (!strategy)
        return refuse("scheme", question->scheme, STRATEGY_NAMES ", of a tree");
    if (tree_parse(question->tree, &simulation->tree, &expected) < 0)
        return refuse("tree", question->tree, expected);
    simulation->visit_ns = question->visit_ns > 0 ? question->visit_ns : preset->visit_ns;
    simulation->properties.victim = strategy->victim;
    simulation->properties.amount = strategy->amount;
    simulation->properties.termination = strategy->termination;
    simulation->properties.lifelines = strategy->lifelines;
    simulation->properties.tries = strategy->tries;
    simulation->properties.batch = (size_t)(question->batch > 0 ? question->batch : TREE_BATCH);
    simulation->scatter = strategy->scatter;
    return 0;
}

static int set_prepare(const struct question *question, struct simulation_settings *simulation)
{
    simulation->scheme = scheme_find(question->scheme);
    if (!simulation->scheme)
        return refuse(
            "scheme", question->scheme,
            "stealall, steal, retain, central, hierarchical, combined or static, of a set "
            "of tasks");
    if (question->tolerance != 0 && question->tolerance < 1) {
        complain(program, "--tolerance: %g is not usable: expected a factor of 1 or more",
                 question->tolerance);
        return -EINVAL;
    }
    if (question->arity == 1)
        return refuse("arity", "1", "2 or more");
    simulation->iterations = question->iterations;
    simulation->steals_first = !question->first_static;
    simulation->start = question->start;
    simulation->properties.order = question->order;
    simulation->balance.arity = question->arity;
    simulation->balance.donate_above = question->tolerance;
    simulation->balance.fill_below = question->tolerance;
    simulation->change = (struct work_change){question->drift, question->noise, question->seed};
    return 0;
}

static int properties_prepare(const struct question *question, struct steal_properties *properties)
{
    if (question->victim >= 0)
        properties->victim = (enum steal_victim)question->victim;
    if (question->amount >= 0)
        properties->amount = (enum steal_amount)question->amount;
    if (question->termination >= 0)
        properties->termination = (enum steal_termination)question->termination;
    if (question->lifelines >= 0)
        properties->lifelines = question->lifelines;
    if (question->tries > 0)
        properties->tries = question->tries;
    /* The library takes 0 for its default, and refuses any other without skewed victims. */
    if (question->exponent == 0 && properties->victim != STEAL_VICTIM_SKEWED) {
        complain(program, "--exponent has no effect without --victim skewed");
        return -EINVAL;
    }
    if (question->exponent == 0)
        properties->victim = STEAL_VICTIM_UNIFORM;
    else if (question->exponent > 0)
        properties->exponent = question->exponent;
    properties->chunk = (size_t)question->chunk;
    properties->poll_tasks = (size_t)question->poll_tasks;
    properties->memory_max = BYTES_PER_MIB *
                             (size_t)(question->memory_mib > 0          ? question->memory_mib
                                      : question->ranks > RANKS_ALIGNED ? MEMORY_MIB_SMALL
                                                                        : MEMORY_MIB);
    return 0;
}

/* Refuses victim tables that do not fit into memory: selection by distance has a weight for all
 * nodes in each rank, or in each node for its ranks. malloc() would succeed and the memory not be
 * there. */
static int weights_check(const struct prepared *prepared)
{
    const struct places *places = machine_places(prepared->machine);
    const struct steal_properties *properties = &prepared->simulation.properties;
    const double needed = properties->victim == STEAL_VICTIM_SKEWED
                              ? (double)skewed_tables_size(places)
                              : (double)places->ranks *
                                    (double)victims_memory_size(properties, places);
    const double present = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

    if (needed <= present)
        return 0;
    complain(program,
             "--victim: distances from %d ranks to %d nodes take %.0f GiB, and this machine has "
             "%.0f: ask for fewer ranks, or more of them on a node",
             places->ranks, places->nodes, needed / BYTES_PER_GIB, present / BYTES_PER_GIB);
    return -EINVAL;
}

int question_prepare(const struct question *question, struct prepared *prepared)
{
    const struct preset *preset = preset_find(question->preset);
    struct work_settings work;
    int error;

    *prepared = (struct prepared){0};
    if (!preset)
        return refuse("preset", question->preset, "cluster, hopper, intrepid, titan, k, bgp or p7");
    work_named(question->workload, &work);
    error = question_check(question);
    if (!error)
        error = machine_prepare(question, preset, prepared);
    if (!error)
        error = work.kind == WORK_TREE ? tree_prepare(question, preset, &prepared->simulation)
                                       : set_prepare(question, &prepared->simulation);
    if (error == 0 && work.kind != WORK_TREE)
        error = work_prepare(question, &work, &prepared->work);
    if (!error)
        error = properties_prepare(question, &prepared->simulation.properties);
    if (!error)
        error = weights_check(prepared);
    if (error < 0) {
        prepared_free(prepared);
        return error == -ENOMEM ? error : -EINVAL;
    }
    prepared->simulation.ranks = question->ranks;
    prepared->simulation.seed = question->seed;
    prepared->simulation.machine = prepared->machine;
    prepared->simulation.jitter_ns = question->jitter_ns;
    prepared->simulation.os_noise = question->os_noise;
    prepared->simulation.stragglers = question->stragglers;
    prepared->simulation.server = question->server;
    prepared->simulation.unchecked = question->unchecked;
    prepared->simulation.work_most_ns = work_most_ns(question);
    prepared->simulation.work = work.kind == WORK_TREE ? NULL : &prepared->work;
    return 0;
}

void prepared_free(struct prepared *prepared)
{
    work_close(&prepared->work);
    machine_close(prepared->machine);
    *prepared = (struct prepared){0};
}
