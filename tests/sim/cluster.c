/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/cluster.h"
#include "tests/sim/lifeline_watch.h"

#include "libjuggle/ground/prng.h"
#include "tools/steal-sim/network.h"
#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/runtime/process.h"

#include <stdlib.h>
#include <string.h>

/* ---- trees --------------------------------------------------------------------------------- */

void forest_grow(struct forest *forest, uint32_t roots, int m, double q, uint32_t nodes_max,
                 uint64_t seed)
{
    struct prng prng;
    uint32_t nodes = 1;

    forest->first = calloc(nodes_max, sizeof(*forest->first));
    forest->children = calloc(nodes_max, sizeof(*forest->children));
    forest->leaves = NULL;
    prng_seed(&prng, seed);
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t wanted = node == 0 ? roots : prng_unit(&prng) < q ? (uint32_t)m : 0;
        uint32_t children = wanted <= nodes_max - nodes ? wanted : 0;

        forest->first[node] = nodes;
        forest->children[node] = (uint16_t)children;
        nodes += children;
    }
    forest->nodes = nodes;
}

void forest_free(struct forest *forest)
{
    free(forest->first);
    free(forest->children);
    free(forest->leaves);
}

/* ---- ranks --------------------------------------------------------------------------------- */

enum { COLLECTIONS = 2, MEMORY = 1 << 20, STALL_ONE_IN = 30 };

struct member {
    struct cluster *cluster;
    struct steal_runtime *runtime;
    struct steal_collection *collection[COLLECTIONS];
    int64_t known[COLLECTIONS]; /* bound, when it was looked at last */
    int round;                  /* rounds begun */
    bool processing;
};

struct cluster {
    const struct cluster_settings *settings;
    struct network *network;
    struct member *member;
    struct steal_collection **next; /* that each rank works on, to be found early */
    unsigned char *visits;          /* of each node in the rounds so far */
    int64_t best[COLLECTIONS];      /* bound that any rank has found */
    int64_t best_ns;                /* when it was */
    int64_t left[COLLECTIONS];      /* tasks that exist, executing ones included */
    int64_t visited;
    bool canceled;
    int finished;
    struct cluster_result *result;
    const char *wrong;
    struct lifeline_watch *watch;
};

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

/* The collection of a round: they alternate when tasks are relayed. */
static int round_collection(const struct cluster_settings *settings, int round)
{
    return settings->relay ? round % COLLECTIONS : 0;
}

/* A number of the node's, in no order. */
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

/* It never gets worse, and is nothing that nobody found. */
static void check_bound(struct member *member, int which)
{
    struct cluster *cluster = member->cluster;
    const int64_t bound = steal_bound(member->collection[which]);

    if (cluster->settings->properties.bound == STEAL_BOUND_NONE)
        return;
    if (bound < member->known[which])
        cluster->wrong = "a bound got worse";
    if (bound > cluster->best[which])
        cluster->wrong = "a bound is better than what was found";
    if (bound > member->known[which])
        cluster->result->spread_ns = network_clock(cluster->network,
                                                   (int)(member - cluster->member)) -
                                     cluster->best_ns;
    member->known[which] = bound;
}

/* One call comes before what it is for. */
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

/* By whatever order the tasks have. */
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
    const struct forest *forest = cluster->settings->forest;
    int here = round_collection(cluster->settings, member->round - 1);
    int there = round_collection(cluster->settings, member->round);

    for (size_t i = 0; i < count; i++) {
        uint64_t node;

        memcpy(&node, (const char *)tasks + i * member->collection[0]->stride, sizeof(node));
        if (++cluster->visits[node] > (cluster->settings->properties.retain ? member->round : 1))
            cluster->wrong = "a task was executed twice";
        cluster->visited++;
        improve(member, here, node);
        if (cluster->settings->visited)
            cluster->settings->visited(worker, member->collection[here], node);
        if (forest->leaves)
            cluster->result->leaves += forest->leaves[node];
        for (uint64_t child = 0; child < forest->children[node] && !cluster->settings->scatter;
             child++) {
            uint64_t task = forest->first[node] + child;

            if (add(cluster->settings, worker, member->collection[there], task) < 0)
                cluster->wrong = "a task could not be added";
            cluster->left[there]++;
        }
        cluster->left[here]--;
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

    member->cluster = cluster;
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

    if (!cluster->settings->expand)
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

    if (settings->barren)
        return 0;
    if (!settings->scatter)
        return seed_add(cluster, settings->ranks / 3, 0);
    /* Most of it on few ranks. */
    for (uint32_t node = 0; node < settings->forest->nodes && result == 0; node++)
        result = seed_add(cluster, (int)(node % (1 + node % (uint32_t)settings->ranks)), node);
    return result;
}

/* ---- events -------------------------------------------------------------------------------- */

static void member_begin(struct member *member, int rank)
{
    struct cluster *cluster = member->cluster;
    int which = round_collection(cluster->settings, member->round);

    cluster->next[rank] = member->collection[which];
    lifeline_watch_begin(cluster->watch, rank);
    lifeline_watch_before(cluster->watch, cluster->next[rank]);
    process_begin(cluster->next[rank]);
    member->round++;
    member->processing = true;
}

static void member_end(struct member *member, struct steal_collection *collection)
{
    struct cluster *cluster = member->cluster;
    struct cluster_result *result = cluster->result;
    const struct steal_statistics *statistics = &collection->statistics;

    process_end(collection);
    member->processing = false;
    if (cluster->settings->properties.bound != STEAL_BOUND_NONE &&
        steal_bound(collection) !=
            cluster->best[round_collection(cluster->settings, member->round - 1)])
        cluster->wrong = "a rank left without the best bound";
    if (collection->peer.canceled != cluster->canceled)
        cluster->wrong = "not all ranks know whether it was canceled";
    result->executed += statistics->tasks_executed;
    result->attempted += statistics->steals_attempted;
    result->successful += statistics->steals_successful;
    result->deals += statistics->deals;
    result->messages += statistics->messages;
    if (statistics->steals_attempted != statistics->steals_successful + statistics->steals_failed)
        cluster->wrong = "a steal was not answered";
    if (member->round == cluster->settings->rounds) {
        cluster->finished++;
        return;
    }
    if (cluster->settings->properties.retain) {
        cluster->left[0] += statistics->tasks_executed;
        if (steal_restore(collection) < 0)
            cluster->wrong = "restore failed";
    }
}

static void member_turn(struct member *member, int rank)
{
    struct cluster *cluster = member->cluster;
    int which = round_collection(cluster->settings, member->round - member->processing);
    struct steal_collection *collection = member->collection[which];
    int64_t visited = cluster->visited;

    if (member->round == cluster->settings->rounds && !member->processing)
        return;
    if (!member->processing)
        member_begin(member, rank);
    bool running = collection->peer.phase == PEER_RUNNING;
    lifeline_watch_before(cluster->watch, collection);
    int done = process_turn(collection);
    if (done < 0)
        cluster->wrong = "a turn failed";
    lifeline_watch_after(cluster->watch, collection);
    check_bound(member, which);
    if (lifeline_watch_wrong(cluster->watch))
        cluster->wrong = lifeline_watch_wrong(cluster->watch);
    if (running && collection->peer.phase != PEER_RUNNING && cluster->left[which] > 0 &&
        !cluster->canceled)
        cluster->wrong = "termination came too early";
    if (process_over(collection))
        member_end(member, collection);
    visited = cluster->visited - visited;
    if ((visited > 0 || (cluster->canceled && done > 0) || !member->processing) &&
        network_wake(cluster->network, rank,
                     network_clock(cluster->network, rank) + 1 +
                         visited * cluster->settings->task_ns) < 0)
        cluster->wrong = "no memory";
}

static const char *cluster_play(struct cluster *cluster)
{
    const struct cluster_settings *settings = cluster->settings;
    struct prng prng;
    int rank, result = 0;

    prng_seed(&prng, ~settings->seed);
    for (rank = 0; rank < settings->ranks; rank++)
        if (network_wake(cluster->network, rank,
                         (int64_t)prng_below(&prng, (uint64_t)settings->start_ns + 1)) < 0)
            return "no memory";
    while (!cluster->wrong && (result = network_next(cluster->network, &rank)) > 0)
        member_turn(&cluster->member[rank], rank);
    if (cluster->wrong)
        return cluster->wrong;
    if (result < 0)
        return "no memory";
    if (cluster->finished < settings->ranks)
        return "a rank never finished";
    if (network_under_way(cluster->network) > 0)
        return "messages were left behind";
    return NULL;
}

/* ---- a run --------------------------------------------------------------------------------- */

static const char *cluster_judge(struct cluster *cluster)
{
    const struct cluster_settings *settings = cluster->settings;
    int64_t rounds = settings->relay ? 1 : settings->rounds;
    const char *wrong = cluster_play(cluster);

    cluster->result->visited = cluster->visited;
    cluster->result->events = network_events(cluster->network);
    cluster->result->elapsed_ns = network_now(cluster->network);
    if (wrong)
        return wrong;
    if (cluster->result->executed != cluster->visited)
        return "the statistics miscount";
    if (settings->barren || settings->relay || settings->cancel_node > 0)
        return NULL;
    for (uint32_t node = 0; node < settings->forest->nodes; node++)
        if (cluster->visits[node] != rounds)
            return "a task was lost";
    return NULL;
}

const char *cluster_run(const struct cluster_settings *settings, struct cluster_result *result)
{
    struct cluster cluster = {.settings = settings, .result = result};
    struct network_settings network = {.ranks = settings->ranks,
                                       .seed = settings->seed,
                                       .latency_ns = latency,
                                       .context = &cluster,
                                       .jitter_ns = settings->jitter_ns,
                                       .stall_ns = settings->stall_ns,
                                       .stall_one_in = STALL_ONE_IN,
                                       .sent = sent,
                                       .watcher = &cluster,
                                       .places = settings->places,
                                       .prefetch = prefetch};
    const char *wrong = "cannot be set up";
    int failed, opened = 0;

    if (settings->machine)
        machine_describe(settings->machine, &network);
    failed = network_open(&network, &cluster.network);
    *result = (struct cluster_result){0};
    cluster.member = calloc((size_t)settings->ranks, sizeof(*cluster.member));
    cluster.next = calloc((size_t)settings->ranks, sizeof(struct steal_collection *));
    cluster.watch = lifeline_watch_open(settings->ranks);
    cluster.visits = calloc(settings->forest->nodes, 1);
    while (!failed && opened < settings->ranks)
        failed = member_open(&cluster, opened++);
    if (!failed && cluster_seed(&cluster) == 0 && cluster_scatter(&cluster) == 0)
        wrong = cluster_judge(&cluster);
    for (int rank = 0; rank < opened; rank++)
        member_close(&cluster.member[rank]);
    lifeline_watch_close(cluster.watch);
    free(cluster.visits);
    free(cluster.next);
    free(cluster.member);
    network_close(cluster.network);
    return wrong;
}
