/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the options of one simulation into the settings of a simulation. */
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
static int simulation_options_check(const struct simulation_options *options)
{
    const struct {
        const char *option;
        int asked, most;
    } limits[] = {
        {"ranks", options->ranks, RANKS_MAX},
        {"batch", options->batch, EXPANDER_BATCH},
        {"lifelines", options->lifelines, LIFELINES_MOST},
        {"iterations", options->iterations, ITERATIONS_MAX},
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

static int work_fit(const struct simulation_options *options, enum work_kind kind)
{
    const bool tree = kind == WORK_TREE;
    const bool random = kind == WORK_EXPONENTIAL || kind == WORK_LOGNORMAL;
    const struct fit fits[] = {
        {"tree", "a tree", options->tree && !tree},
        {"visit", "a tree", options->visit_ns > 0 && !tree},
        {"batch", "a tree", options->batch > 0 && !tree},
        {"tasks", "a random set of tasks", options->tasks_count > 0 && !random},
        {"iterations", "a set of tasks", options->iterations > 0 && tree},
        {"mean", "a set of tasks", options->mean_ns > 0 && tree},
        {"noise", "a set of tasks", options->noise > 0 && tree},
        {"drift", "a set of tasks", options->drift > 0 && tree},
        {"first-static", "a set of tasks", options->first_static && tree},
        {"start", "a set of tasks", options->start != START_DEALT && tree},
        {"order", "a set of tasks", options->order != STEAL_ORDER_EXECUTED && tree},
        {"tolerance", "a set of tasks", options->tolerance > 0 && tree},
        {"arity", "a set of tasks", options->arity > 0 && tree},
    };

    return fits_check(fits, ARRAY_COUNT(fits), options->workload);
}

static int scheme_fit(const struct simulation_options *options, const struct scheme *scheme)
{
    const bool begins = scheme->steals_first && !options->first_static;
    const bool steals = scheme->steals || begins;
    const bool by_tree = scheme->balances && scheme->balancer == STEAL_BALANCER_HIERARCHICAL;
    const struct fit fits[] = {
        {"first-static", "a scheme that begins with steals",
         options->first_static && !scheme->steals_first},
        {"victim", "a scheme that steals", options->victim >= 0 && !steals},
        {"amount", "a scheme that steals", options->amount >= 0 && !steals},
        {"lifelines", "a scheme that steals", options->lifelines >= 0 && !steals},
        {"order", "a scheme that keeps tasks",
         options->order != STEAL_ORDER_EXECUTED && scheme->seed != SEED_KEPT},
        {"tolerance", "a scheme that balances", options->tolerance > 0 && !scheme->balances},
        {"arity", "a scheme that balances by a tree", options->arity > 0 && !by_tree},
    };

    return fits_check(fits, ARRAY_COUNT(fits), options->scheme);
}

/* Complains about the first option that would have no effect on this workload or scheme. Schemes of
 * a tree need no check, because they all steal. */
static int options_fit(const struct simulation_options *options, enum work_kind kind)
{
    const struct scheme *scheme = kind == WORK_TREE ? NULL : scheme_find(options->scheme);
    const int error = work_fit(options, kind);

    return error < 0 || !scheme ? error : scheme_fit(options, scheme);
}

int simulation_options_settle(struct simulation_options *options)
{
    struct work_settings work;

    work_named(options->workload, &work);
    if (!options->scheme)
        options->scheme = work.kind == WORK_TREE ? "tofu-half" : "retain";
    const int error = options_fit(options, work.kind);
    if (error < 0)
        return error;
    if (!options->tree)
        options->tree = "T3";
    if (options->iterations == 0)
        options->iterations = ITERATIONS;
    return 0;
}

static void override(int64_t *target, int64_t asked)
{
    if (asked >= 0)
        *target = asked;
}

static int machine_prepare(const struct simulation_options *options, const struct preset *preset,
                           struct prepared_simulation *prepared)
{
    struct machine_settings machine = preset->machine;
    const char *const network = options->topology ? options->topology : options->preset;
    const char *expected;
    int error;

    if (options->mapping && mapping_parse(options->mapping, &machine.mapping, &expected) < 0)
        return refuse("mapping", options->mapping, expected);
    if (options->topology && topology_parse(options->topology, &machine.topology, &expected) < 0)
        return refuse("topology", options->topology, expected);
    if (options->links && machine.topology.kind != TOPOLOGY_GRID)
        return misplaced("links", "a torus or a mesh", network);
    if (options->hop_ns >= 0 && machine.topology.kind == TOPOLOGY_FLAT)
        return misplaced("hop", "a network of several hops", network);
    machine.crowded_links = options->links;
    override(&machine.latency_ns, options->latency_ns);
    override(&machine.hop_ns, options->hop_ns);
    override(&machine.local_ns, options->local_ns);
    override(&machine.costs.send_ns, options->overhead_ns);
    override(&machine.costs.receive_ns, options->overhead_ns);
    override(&machine.costs.poll_ns, options->poll_cost_ns);
    override(&machine.costs.gap_ns, options->gap_ns);
    /* If messages arrived at the time at which they are sent, time would never advance. */
    machine.latency_ns = max_i64(machine.latency_ns, 1);
    machine.local_ns = max_i64(machine.local_ns, 1);
    error = machine_open(&machine, options->ranks, &prepared->machine);
    if (error == -ERANGE)
        complain(program, "--topology: '%s' has fewer nodes than the %d that %d ranks need",
                 options->topology, machine_nodes(&machine, options->ranks), options->ranks);
    else if (error < 0)
        complain(program, "no memory for a machine of %d ranks", options->ranks);
    return error;
}

/* Returns the limit of the time of all tasks: even if the slowest rank executes all of them, a
 * clock of nanoseconds does not overflow. */
static int64_t work_most_ns(const struct simulation_options *options)
{
    const double factor = options->stragglers.factor > 1 ? options->stragglers.factor : 1;
    const double share = 1 - options->os_noise.share;

    return (int64_t)((double)(INT64_MAX / 4) * share / factor);
}

static int work_prepare(const struct simulation_options *options, struct work_settings *settings,
                        struct workload *work)
{
    int64_t line = 0;
    int error;

    if (options->tasks_count > 0 && settings->tasks_count > 0)
        settings->tasks_count = options->tasks_count;
    if (options->mean_ns > 0)
        settings->mean_ns = options->mean_ns;
    settings->seed = options->seed;
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
                 options->workload);
    else if (error < 0)
        complain(program, "%s: %s", options->workload, strerror(-error));
    else if (work->total_s * options->iterations >=
             (double)work_most_ns(options) / (double)NSEC_PER_SEC) {
        complain(
            program,
            "--mean: tasks that take %.3g s together, over %d iterations, do not fit into a clock "
            "of nanoseconds",
            work->total_s, options->iterations);
        return -EINVAL;
    }
    return error;
}

/* ---- how work is shared out ---------------------------------------------------------------- */

static int tree_prepare(const struct simulation_options *options, const struct preset *preset,
                        struct simulation_settings *simulation)
{
    const struct strategy *strategy = strategy_find(options->scheme);
    const char *expected;

    if (!strategy)
        return refuse("scheme", options->scheme, STRATEGY_NAMES ", of a tree");
    if (tree_parse(options->tree, &simulation->tree, &expected) < 0)
        return refuse("tree", options->tree, expected);
    simulation->visit_ns = options->visit_ns > 0 ? options->visit_ns : preset->visit_ns;
    simulation->properties.victim = strategy->victim;
    simulation->properties.amount = strategy->amount;
    simulation->properties.termination = strategy->termination;
    simulation->properties.lifelines = strategy->lifelines;
    simulation->properties.tries = strategy->tries;
    simulation->properties.batch = (size_t)(options->batch > 0 ? options->batch : TREE_BATCH);
    simulation->scatter = strategy->scatter;
    return 0;
}

static int set_prepare(const struct simulation_options *options,
                       struct simulation_settings *simulation)
{
    simulation->scheme = scheme_find(options->scheme);
    if (!simulation->scheme)
        return refuse(
            "scheme", options->scheme,
            "stealall, steal, retain, central, hierarchical, combined or static, of a set "
            "of tasks");
    if (options->tolerance != 0 && options->tolerance < 1) {
        complain(program, "--tolerance: %g is not usable: expected a factor of 1 or more",
                 options->tolerance);
        return -EINVAL;
    }
    if (options->arity == 1)
        return refuse("arity", "1", "2 or more");
    simulation->properties.order = options->order;
    simulation->balance.arity = options->arity;
    simulation->balance.donate_above = options->tolerance;
    simulation->balance.fill_below = options->tolerance;
    simulation->change = (struct work_change){options->drift, options->noise, options->seed};
    return 0;
}

static int properties_prepare(const struct simulation_options *options,
                              struct steal_properties *properties)
{
    if (options->victim >= 0)
        properties->victim = (enum steal_victim)options->victim;
    if (options->amount >= 0)
        properties->amount = (enum steal_amount)options->amount;
    if (options->termination >= 0)
        properties->termination = (enum steal_termination)options->termination;
    if (options->lifelines >= 0)
        properties->lifelines = options->lifelines;
    if (options->tries > 0)
        properties->tries = options->tries;
    /* The library takes 0 for its default, and refuses any other without skewed victims. */
    if (options->exponent == 0 && properties->victim != STEAL_VICTIM_SKEWED) {
        complain(program, "--exponent has no effect without --victim skewed");
        return -EINVAL;
    }
    if (options->exponent == 0)
        properties->victim = STEAL_VICTIM_UNIFORM;
    else if (options->exponent > 0)
        properties->exponent = options->exponent;
    properties->chunk = (size_t)options->chunk;
    properties->poll_tasks = (size_t)options->poll_tasks;
    properties->memory_max = BYTES_PER_MIB * (size_t)(options->memory_mib > 0 ? options->memory_mib
                                                      : options->ranks > RANKS_ALIGNED
                                                          ? MEMORY_MIB_SMALL
                                                          : MEMORY_MIB);
    return 0;
}

/* Refuses victim tables that do not fit into memory: selection by distance has a weight for all
 * nodes in each rank, or in each node for its ranks. malloc() would succeed and the memory not be
 * there. */
static int weights_check(const struct prepared_simulation *prepared)
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

int simulation_options_prepare(const struct simulation_options *options,
                               struct prepared_simulation *prepared)
{
    const struct preset *preset = preset_find(options->preset);
    struct work_settings work;
    int error;

    *prepared = (struct prepared_simulation){0};
    if (!preset)
        return refuse("preset", options->preset, "cluster, hopper, intrepid, titan, k, bgp or p7");
    work_named(options->workload, &work);
    error = simulation_options_check(options);
    if (!error)
        error = machine_prepare(options, preset, prepared);
    if (!error)
        error = work.kind == WORK_TREE ? tree_prepare(options, preset, &prepared->simulation)
                                       : set_prepare(options, &prepared->simulation);
    if (error == 0 && work.kind != WORK_TREE)
        error = work_prepare(options, &work, &prepared->work);
    if (!error)
        error = properties_prepare(options, &prepared->simulation.properties);
    if (!error)
        error = weights_check(prepared);
    if (error < 0) {
        prepared_simulation_free(prepared);
        return error == -ENOMEM ? error : -EINVAL;
    }
    prepared->simulation.options = options;
    prepared->simulation.machine = prepared->machine;
    prepared->simulation.work_most_ns = work_most_ns(options);
    prepared->simulation.work = work.kind == WORK_TREE ? NULL : &prepared->work;
    return 0;
}

void prepared_simulation_free(struct prepared_simulation *prepared)
{
    work_close(&prepared->work);
    machine_close(prepared->machine);
    *prepared = (struct prepared_simulation){0};
}
