/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/cluster_parts.h"
#include "tests/sim/image_copy.h"

#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/runtime/process.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees --------------------------------------------------------------------------------- */

struct forest forest;

void forest_clear(uint32_t nodes_max, bool leaves)
{
    free(forest.first);
    free(forest.children);
    free(forest.leaves);
    forest.first = calloc(nodes_max, sizeof(*forest.first));
    forest.children = calloc(nodes_max, sizeof(*forest.children));
    forest.leaves = leaves ? calloc(nodes_max, sizeof(*forest.leaves)) : NULL;
}

void forest_grow_shape(uint32_t roots, int m, double q, uint32_t nodes_max)
{
    struct prng prng;
    uint32_t nodes = 1;

    forest_clear(nodes_max, false);
    prng_seed(&prng, 7);
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t wanted = node == 0 ? roots : prng_unit(&prng) < q ? (uint32_t)m : 0;
        uint32_t children = wanted <= nodes_max - nodes ? wanted : 0;

        forest.first[node] = nodes;
        forest.children[node] = (uint16_t)children;
        nodes += children;
    }
    forest.nodes = nodes;
}

void forest_grow(uint32_t nodes_max)
{
    forest_grow_shape(200, 8, 0.128, nodes_max);
    ck_assert_uint_gt(forest.nodes, nodes_max / 3);
}

/* ---- ranks --------------------------------------------------------------------------------- */

enum { MEMORY = 1 << 20, STALL_ONE_IN = 30 };

static int64_t latency(const void *context, int from, int to)
{
    const struct cluster *cluster = context;
    const struct cluster_settings *settings = cluster->settings;
    int hops = abs(from - to);

    if (settings->places)
        return settings->latency_ns +
               (int64_t)((double)settings->hop_ns *
                         settings->places->distance(settings->places, from, to));
    return settings->latency_ns + settings->latency_ns * hops / (settings->ranks + 1);
}

static void sent(void *watcher, int from, const struct message *message)
{
    struct cluster *cluster = watcher;

    lifeline_watch_sent(cluster->watch, from, message);
}

static void prefetch(const void *watcher, int rank)
{
    const struct cluster *cluster = watcher;

    __builtin_prefetch(&cluster->member[rank]);
    process_prefetch(cluster->next[rank]);
}

/* Returns a value of the node. Values are in no order, but the same in each run. */
static int64_t node_value(uint64_t node)
{
    return (int64_t)((node * UINT64_C(0x9e3779b97f4a7c15)) >> 40);
}

static void improve(struct member *member, int which, uint64_t node)
{
    struct cluster *cluster = member->cluster;
    const int64_t value = node_value(node);

    if (cluster->settings->properties.bound == STEAL_BOUND_NONE)
        return;
    if (steal_bound_improve(member->collection[which], value) < 0)
        cluster->wrong = "a bound was refused";
    if (value <= cluster->best[which])
        return;
    cluster->best[which] = value;
    cluster->best_ns = network_clock(cluster->network, (int)(member - cluster->member));
}

/* Adds a task that waits for as many count-downs as `needs` says, which other tasks make. Without
 * `needs` it waits for two: one is made here before the task is added, and one after. */
static int add_waiting(const struct cluster_settings *settings, struct steal_worker *worker,
                       struct steal_collection *collection, uint64_t node)
{
    if (settings->needs)
        return steal_add_waiting(worker, collection, node, settings->needs(node), &node,
                                 sizeof(node));
    if (steal_count_down(worker, collection, node) < 0 ||
        steal_add_waiting(worker, collection, node, 2, &node, sizeof(node)) < 0)
        return -1;
    return steal_count_down(worker, collection, node);
}

/* Adds a task as its collection requires: waiting, with a cost, with a level, or plainly. */
static int add(const struct cluster_settings *settings, struct steal_worker *worker,
               struct steal_collection *collection, uint64_t node)
{
    const struct steal_properties *properties = &collection->properties;

    if (properties->waiting)
        return add_waiting(settings, worker, collection, node);
    if (properties->weighted)
        return steal_add_weighted(worker, collection, node_value(node), &node, sizeof(node));
    if (properties->levels > 1)
        return steal_add_level(worker, collection, (int)(node % (uint64_t)properties->levels),
                               &node, sizeof(node));
    return steal_add(worker, collection, &node, sizeof(node));
}

static void visit(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct member *member = local;
    struct cluster *cluster = member->cluster;
    int here = round_collection(cluster->settings, member->round - 1);
    int there = round_collection(cluster->settings, member->round);
    /* Tasks lie side by side here, without the histories that the runtime keeps with them. */
    const size_t stride = record_task_stride(&member->collection[0]->properties);

    for (size_t i = 0; i < count; i++) {
        uint64_t node;

        memcpy(&node, (const char *)tasks + i * stride, sizeof(node));
        if (++cluster->visits[node] > (cluster->settings->properties.retain ? member->round : 1))
            cluster->wrong = "a task was executed twice";
        cluster->visited++;
        improve(member, here, node);
        if (cluster->settings->visited)
            cluster->settings->visited(worker, member->collection[here], node);
        if (forest.leaves)
            cluster->result->leaves += forest.leaves[node];
        for (uint64_t child = 0; child < forest.children[node] && !cluster->settings->seed_all;
             child++) {
            uint64_t task = forest.first[node] + child;

            if (add(cluster->settings, worker, member->collection[there], task) < 0)
                cluster->wrong = "a task could not be added";
            cluster->left[there]++;
        }
        cluster->left[here]--;
        if (settings_pause(cluster))
            halt_set(member->collection[here], HALT_PAUSE);
        if (node > 0 && node == cluster->settings->cancel_node) {
            cluster->canceled = true;
            if (steal_cancel(member->collection[here]) < 0)
                cluster->wrong = "canceling was refused";
        }
    }
}

static int member_open(struct cluster *cluster, int rank)
{
    struct member *member = &cluster->member[rank];
    struct steal_properties properties = cluster->settings->properties;
    int result;

    *member = (struct member){.cluster = cluster, .round = cluster->round};
    for (int i = 0; i < COLLECTIONS; i++)
        cluster->best[i] = member->known[i] = INT64_MIN;
    result = runtime_open(network_endpoint(cluster->network, rank), NULL, &member->runtime, NULL);
    if (result < 0)
        return result;
    result = steal_function_register(member->runtime, "visit", visit, &properties.function);
    properties.task_size = (size_t)max_i64((int64_t)properties.task_size, sizeof(uint64_t));
    properties.size = sizeof(properties);
    properties.local = member;
    if (properties.memory_max == 0)
        properties.memory_max = MEMORY;
    if (properties.tasks == 0)
        properties.tasks = 64;
    for (int i = 0; i < COLLECTIONS && result == 0; i++)
        result = steal_collection_create(member->runtime, &properties, &member->collection[i]);
    cluster->next[rank] = member->collection[0];
    return result;
}

static void member_close(struct member *member)
{
    for (int i = 0; i < COLLECTIONS; i++)
        steal_collection_destroy(member->collection[i]);
    steal_runtime_destroy(member->runtime);
}

static int cluster_scatter(struct cluster *cluster)
{
    struct member *member = &cluster->member[cluster->settings->ranks / 3];

    if (!cluster->settings->deal_seeds)
        return 0;
    return steal_scatter(member->collection[0], 0);
}

static int seed_add(struct cluster *cluster, int rank, uint64_t node)
{
    struct member *member = &cluster->member[rank];

    cluster->left[0]++;
    return add(cluster->settings, steal_seeder(member->runtime), member->collection[0], node);
}

static int cluster_seed(struct cluster *cluster)
{
    const struct cluster_settings *settings = cluster->settings;
    int result = 0;

    if (settings->no_tasks)
        return 0;
    if (!settings->seed_all)
        return seed_add(cluster, settings->ranks / 3, 0);
    /* Most nodes go to few ranks. */
    for (uint32_t node = 0; node < forest.nodes && result == 0; node++)
        result = seed_add(cluster, (int)(node % (1 + node % (uint32_t)settings->ranks)), node);
    return result;
}

/* ---- events -----------------------------------------------------------------------------------
 */

static const char *cluster_play(struct cluster *cluster)
{
    const struct cluster_settings *settings = cluster->settings;
    int rank, result = 0;

    for (rank = 0; rank < cluster->ranks; rank++)
        if (network_wake(cluster->network, rank,
                         (int64_t)prng_below(&cluster->prng, (uint64_t)settings->start_ns + 1)) < 0)
            return "no memory";
    while (!cluster->wrong && (result = network_next(cluster->network, &rank)) > 0)
        member_turn(&cluster->member[rank], rank);
    if (cluster->wrong)
        return cluster->wrong;
    if (result < 0)
        return "no memory";
    if (cluster->resting == cluster->ranks)
        return NULL;
    if (cluster->finished < cluster->ranks)
        return "a rank never finished";
    if (network_under_way(cluster->network) > 0)
        return "messages were left behind";
    return NULL;
}

/* ---- opening and replacing ranks ------------------------------------------------------------ */

static const char *cluster_open(struct cluster *cluster)
{
    const struct cluster_settings *settings = cluster->settings;
    struct network_settings network = {.ranks = cluster->ranks,
                                       .seed = settings->seed,
                                       .latency_ns = latency,
                                       .context = cluster,
                                       .jitter_ns = settings->jitter_ns,
                                       .stall_ns = settings->stall_ns,
                                       .stall_one_in = STALL_ONE_IN,
                                       .sent = sent,
                                       .watcher = cluster,
                                       .places = settings->places,
                                       .prefetch = prefetch};

    if (settings->machine)
        machine_describe(settings->machine, &network);
    cluster->resting = 0;
    cluster->finished = 0;
    cluster->member = calloc((size_t)cluster->ranks, sizeof(*cluster->member));
    cluster->next = calloc((size_t)cluster->ranks, sizeof(struct steal_collection *));
    cluster->watch = lifeline_watch_open(cluster->ranks);
    if (network_open(&network, &cluster->network) < 0)
        return "cannot be set up";
    for (int rank = 0; rank < cluster->ranks; rank++)
        if (member_open(cluster, rank) < 0)
            return "cannot be set up";
    return NULL;
}

static void cluster_close(struct cluster *cluster)
{
    for (int rank = 0; rank < cluster->ranks; rank++)
        member_close(&cluster->member[rank]);
    lifeline_watch_close(cluster->watch);
    free(cluster->next);
    free(cluster->member);
    network_close(cluster->network);
}

/* Replaces all ranks by `resume_ranks` new ranks, or by `ranks` new ranks every other time, and
 * moves the tasks to them. */
static const char *cluster_move(struct cluster *cluster)
{
    struct image_copy copy;
    const char *wrong = image_copy_take(&copy, cluster->next, cluster->ranks);

    for (int rank = 0; rank < cluster->ranks; rank++) {
        cluster->next[rank]->stopped = true;
        process_end(cluster->next[rank]);
        cluster->result->executed += cluster->next[rank]->statistics.tasks_executed;
    }
    cluster->round = cluster->member[0].round - 1;
    cluster_close(cluster);
    cluster->ranks = cluster->ranks == cluster->settings->ranks ? cluster->settings->resume_ranks
                                                                : cluster->settings->ranks;
    if (!wrong)
        wrong = cluster_open(cluster);
    for (int rank = 0; rank < cluster->ranks && !wrong; rank++)
        wrong = image_copy_put(&copy, cluster->next[rank], rank, cluster->ranks);
    image_copy_free(&copy);
    return wrong;
}

/* ---- a run --------------------------------------------------------------------------------- */

static const char *cluster_judge(struct cluster *cluster)
{
    const struct cluster_settings *settings = cluster->settings;
    int64_t rounds = settings->relay ? 1 : settings->rounds;
    const char *wrong;

    do
        wrong = cluster_play(cluster);
    while (!wrong && cluster->resting > 0 && !(wrong = cluster_move(cluster)));
    cluster->result->visited = cluster->visited;
    cluster->result->events = network_events(cluster->network);
    cluster->result->elapsed_ns = network_now(cluster->network);
    if (wrong)
        return wrong;
    if (cluster->result->executed != cluster->visited)
        return "the statistics miscount";
    if (settings->no_tasks || settings->relay || settings->cancel_node > 0)
        return NULL;
    for (uint32_t node = 0; node < forest.nodes; node++)
        if (cluster->visits[node] != rounds)
            return "a task was lost";
    return NULL;
}

const char *cluster_run(const struct cluster_settings *settings, struct cluster_result *result)
{
    struct cluster cluster = {.settings = settings,
                              .ranks = settings->ranks,
                              .pause_at = settings->pause_every,
                              .result = result};
    const char *wrong;

    *result = (struct cluster_result){0};
    prng_seed(&cluster.prng, ~settings->seed);
    cluster.visits = calloc(forest.nodes, 1);
    wrong = cluster_open(&cluster);
    if (!wrong && (cluster_seed(&cluster) < 0 || cluster_scatter(&cluster) < 0))
        wrong = "cannot be set up";
    if (!wrong)
        wrong = cluster_judge(&cluster);
    cluster_close(&cluster);
    free(cluster.visits);
    return wrong;
}
