/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/iterations.h"

#include "libjuggle/ground/prng.h"
#include "libjuggle/ground/units.h"
#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/runtime/tables.h"
#include "libjuggle/steal/runtime/process.h"
#include "libjuggle/steal/runtime/rebalance.h"
#include "tools/steal-sim/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 1 << 22, JITTER_NS = 3000, LATENCY_NS = 2000, START_NS = 20000 };

/* A task. When it is replaced, its successor has the same slot and the next generation. */
struct task {
    uint32_t slot;
    uint32_t generation;
};

struct rank {
    struct world *world;
    struct steal_runtime *runtime;
    struct steal_collection *collection;
    struct rebalance *rebalance; /* that is under way, or NULL */
    int iteration;               /* the iteration that has begun, or begins next */
    bool processing;
    int64_t worked_ns; /* run time of the tasks of this turn */
};

struct world {
    const struct iterations_settings *settings;
    struct iterations_result *result;
    struct network *network;
    struct rank *rank;
    unsigned char *visits; /* by slot: in how many iterations it was executed */
    int64_t begin_ns[ITERATIONS_MAX];
    int finished;
    const char *wrong;
};

/* ---- the tasks ----------------------------------------------------------------------------- */

/* Returns a random number, uniform in [0, 1), which is the same for equal a and b. */
static double chance(const struct world *world, uint64_t a, uint64_t b)
{
    struct prng prng;

    prng_seed(&prng, world->settings->seed * 1000003 + a * 4099 + b);
    return prng_unit(&prng);
}

static bool task_vanishes(const struct world *world, uint32_t slot, int iteration)
{
    return chance(world, slot, 1000 + (uint64_t)iteration) < world->settings->replaced;
}

static uint32_t task_generation(const struct world *world, uint32_t slot, int iteration)
{
    uint32_t generation = 0;

    for (int i = 0; i < iteration; i++)
        generation += task_vanishes(world, slot, i);
    return generation;
}

/* Returns how long a task takes: many are short, some take up to six times the mean, like those of
 * the paper. */
static int64_t task_ns(const struct world *world, struct task task, int iteration)
{
    const uint64_t id = task.slot + (uint64_t)task.generation * 7919;
    double load = -log(1 - chance(world, id, 1) * (1 - exp(-5.9)));

    for (int i = 0; i < iteration && world->settings->drift > 0; i++)
        load *= 1 + world->settings->drift * (2 * chance(world, id, 2000 + (uint64_t)i) - 1);
    return (int64_t)(load * 50e3) + 1;
}

static void execute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct rank *rank = local;
    struct world *world = rank->world;
    const struct task *task = tasks;

    for (size_t i = 0; i < count; i++) {
        const int64_t took_ns = task_ns(world, task[i], rank->iteration);

        if (task[i].generation != task_generation(world, task[i].slot, rank->iteration))
            world->wrong = "a task that has vanished was executed";
        if (world->visits[task[i].slot]++ != rank->iteration)
            world->wrong = "a task was executed twice, or one was not";
        steal_took(worker, i, took_ns);
        rank->worked_ns += took_ns;
        if (task_vanishes(world, task[i].slot, rank->iteration))
            steal_forget(worker, i);
    }
}

static int rank_of_slot(const struct world *world, uint32_t slot)
{
    const int ranks = world->settings->ranks;
    const int spread = world->settings->scattered ? ranks : 1 + ranks / 8;

    return (int)(chance(world, slot, 2) * spread);
}

/* Adds the tasks of a rank that are new in an iteration. */
static void add_new(struct rank *rank, int index)
{
    struct world *world = rank->world;

    for (uint32_t slot = 0; slot < (uint32_t)world->settings->tasks; slot++) {
        const struct task task = {slot, task_generation(world, slot, rank->iteration)};

        if (rank_of_slot(world, slot) != index ||
            (rank->iteration > 0 && !task_vanishes(world, slot, rank->iteration - 1)))
            continue;
        if (steal_add(steal_seeder(rank->runtime), rank->collection, &task, sizeof(task)) < 0)
            world->wrong = "a task could not be added";
    }
}

/* ---- stages -------------------------------------------------------------------------------- */

static void rank_process(struct rank *rank)
{
    struct world *world = rank->world;
    const int from = world->settings->isolate_from;
    int64_t *begin_ns = &world->begin_ns[rank->iteration];

    if (from > 0 && rank->iteration == from && steal_isolate(rank->collection, 1) < 0)
        world->wrong = "isolation was refused";
    process_begin(rank->collection);
    rank->processing = true;
    if (*begin_ns == 0)
        *begin_ns = network_now(world->network);
}

static void rank_rebalance(struct rank *rank)
{
    struct steal_balance settings = rank->world->settings->balance;

    parameters_default(&balance_parameters, &settings);
    if (rebalance_open(rank->collection, &settings, &rank->rebalance) < 0)
        rank->world->wrong = "balancing could not begin";
    else
        rebalance_begin(rank->rebalance);
}

static void rank_account(struct rank *rank)
{
    struct world *world = rank->world;
    struct iteration *iteration = &world->result->iteration[rank->iteration];
    const struct steal_statistics statistics = rank->collection->statistics;

    iteration->load_ns += statistics.load_ns;
    iteration->load_max_ns = max_i64(iteration->load_max_ns, statistics.load_ns);
    iteration->predicted_max_ns = max_i64(iteration->predicted_max_ns, statistics.predicted_ns);
    iteration->attempted += statistics.steals_attempted;
    iteration->successful += statistics.steals_successful;
    iteration->moved += statistics.tasks_moved;
    iteration->elapsed_ns = max_i64(iteration->elapsed_ns,
                                    network_now(world->network) - world->begin_ns[rank->iteration]);
}

static void rank_next(struct rank *rank, int index)
{
    struct world *world = rank->world;

    process_end(rank->collection);
    rank->processing = false;
    rank_account(rank);
    if (++rank->iteration == world->settings->iterations) {
        world->finished++;
        return;
    }
    if (steal_restore(rank->collection) < 0)
        world->wrong = "restoring failed";
    add_new(rank, index);
    if (world->settings->rebalance)
        rank_rebalance(rank);
    else
        rank_process(rank);
}

static void rank_turn(struct rank *rank, int index)
{
    struct world *world = rank->world;
    int64_t rest_ns = 1;
    bool again = false;

    if (rank->iteration == world->settings->iterations)
        return;
    if (rank->rebalance) {
        if (rebalance_turn(rank->rebalance) < 0)
            world->wrong = "a turn of balancing failed";
        if (rebalance_over(rank->rebalance)) {
            if (rebalance_end(rank->rebalance) < 0)
                world->wrong = "balancing failed";
            rank->rebalance = NULL;
            rank_process(rank);
            again = true;
        }
    } else if (!rank->processing) {
        rank_process(rank);
        again = true;
    } else {
        rank->worked_ns = 0;
        if (process_turn(rank->collection) < 0)
            world->wrong = "a turn failed";
        rest_ns += rank->worked_ns;
        again = rank->worked_ns > 0;
        if (process_over(rank->collection)) {
            rank_next(rank, index);
            again = true;
        }
    }
    if (again && network_wake(world->network, index, network_now(world->network) + rest_ns) < 0)
        world->wrong = "no memory";
}

/* ---- a run --------------------------------------------------------------------------------- */

static int64_t latency(const void *context, int from, int to)
{
    const struct world *world = context;

    return LATENCY_NS + LATENCY_NS * (int64_t)abs(from - to) / world->settings->ranks;
}

static int rank_open(struct world *world, int index)
{
    struct rank *rank = &world->rank[index];
    struct steal_properties properties = world->settings->properties;
    int result;

    rank->world = world;
    result = runtime_open(network_endpoint(world->network, index), NULL, &rank->runtime, NULL);
    if (result == 0)
        result = steal_function_register(rank->runtime, "execute", execute, &properties.function);
    if (result < 0)
        return result;
    properties.size = sizeof(properties);
    properties.task_size = sizeof(struct task);
    properties.memory_max = MEMORY;
    properties.local = rank;
    properties.retain = STEAL_RETENTION_SEEDED;
    properties.seed = world->settings->seed;
    return steal_collection_create(rank->runtime, &properties, &rank->collection);
}

static const char *world_play(struct world *world)
{
    const int ranks = world->settings->ranks;
    int index, result = 0;

    for (index = 0; index < ranks; index++) {
        add_new(&world->rank[index], index);
        if (network_wake(world->network, index, 1 + (index * 7919 % START_NS)) < 0)
            return "no memory";
    }
    while (!world->wrong && (result = network_next(world->network, &index)) > 0)
        rank_turn(&world->rank[index], index);
    if (world->wrong)
        return world->wrong;
    if (result < 0)
        return "no memory";
    if (world->finished < ranks)
        return "a rank never finished";
    if (network_under_way(world->network) > 0)
        return "messages were left behind";
    for (int slot = 0; slot < world->settings->tasks; slot++)
        if (world->visits[slot] != world->settings->iterations)
            return "a task was lost";
    return NULL;
}

const char *iterations_run(const struct iterations_settings *settings,
                           struct iterations_result *result)
{
    struct world world = {.settings = settings, .result = result};
    const struct network_settings network = {.ranks = settings->ranks,
                                             .seed = settings->seed,
                                             .latency_ns = latency,
                                             .context = &world,
                                             .jitter_ns = JITTER_NS};
    const char *wrong = "cannot be set up";
    int failed = network_open(&network, &world.network);

    memset(result, 0, sizeof(*result));
    world.rank = calloc((size_t)settings->ranks, sizeof(*world.rank));
    world.visits = calloc((size_t)settings->tasks + 1, 1);
    for (int index = 0; index < settings->ranks && !failed; index++)
        failed = rank_open(&world, index);
    if (!failed)
        wrong = world_play(&world);
    for (int index = 0; index < settings->ranks; index++) {
        rebalance_free(world.rank[index].rebalance);
        if (world.rank[index].runtime)
            world.rank[index].runtime->processing = NULL;
        if (steal_collection_destroy(world.rank[index].collection) < 0)
            wrong = "a collection is still busy";
        steal_runtime_destroy(world.rank[index].runtime);
    }
    free(world.visits);
    free(world.rank);
    network_close(world.network);
    return wrong;
}

double iteration_imbalance(const struct iterations_settings *settings,
                           const struct iteration *iteration)
{
    return (double)iteration->load_max_ns * settings->ranks / (double)iteration->load_ns;
}
