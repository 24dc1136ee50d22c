/* SPDX-License-Identifier: BSD-3-Clause */
/* The turns of a cluster's ranks, and what is checked after each. */
#include "tests/sim/cluster_parts.h"

#include "libjuggle/steal/runtime/image.h"
#include "libjuggle/steal/runtime/pausing.h"
#include "libjuggle/steal/runtime/process.h"

/* Checks that a bound never gets worse, and is not better than the best that was found. */
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
        for (int i = 0; i < collection->worker_tasks_length; i++)
            cluster->left[0] += collection->worker_tasks[i].record.ledger.count;
        if (steal_restore(collection) < 0)
            cluster->wrong = "restore failed";
    }
}

/* Checks that all ranks know how many tasks are left, and that no message is under way. */
static void check_rest(struct cluster *cluster)
{
    int64_t held = 0, waiting = 0;
    int which = round_collection(cluster->settings, cluster->member[0].round - 1);

    for (int rank = 0; rank < cluster->ranks; rank++) {
        const struct steal_collection *collection = cluster->member[rank].collection[which];

        held += image_held(collection);
        for (size_t i = 0; collection->waiting && i < collection->waiting->slots; i++)
            waiting += collection->waiting->counter[i].taken &&
                       collection->waiting->counter[i].task;
    }
    for (int rank = 0; rank < cluster->ranks; rank++)
        if (cluster->member[rank].collection[which]->peer.left != held)
            cluster->wrong = "a rank does not know how many tasks are left";
    if (held + waiting != cluster->left[which])
        cluster->wrong = "tasks are left that nobody has";
    if (network_under_way(cluster->network) > 0)
        cluster->wrong = "messages are under way at a quiet moment";
}

/* Notes that the rank has paused. The last one to pause checks the quiet moment, and wakes all
 * ranks at random times unless other ranks are to go on. */
static void member_rest(struct member *member)
{
    struct cluster *cluster = member->cluster;

    member->resting = true;
    if (++cluster->resting < cluster->ranks)
        return;
    check_rest(cluster);
    cluster->pause_at = cluster->visited + cluster->settings->pause_every;
    if (cluster->settings->resume_ranks > 0)
        return;
    cluster->resting = 0;
    for (int rank = 0; rank < cluster->ranks; rank++)
        if (network_wake(cluster->network, rank,
                         network_now(cluster->network) + 1 +
                             (int64_t)prng_below(&cluster->prng,
                                                 (uint64_t)cluster->settings->start_ns + 1)) < 0)
            cluster->wrong = "no memory";
}

void member_turn(struct member *member, int rank)
{
    struct cluster *cluster = member->cluster;
    int which = round_collection(cluster->settings, member->round - member->processing);
    struct steal_collection *collection = member->collection[which];
    int64_t visited = cluster->visited;

    if (member->round == cluster->settings->rounds && !member->processing)
        return;
    if (member->resting && cluster->resting > 0)
        return;
    if (member->resting) {
        lifeline_watch_begin(cluster->watch, rank);
        pausing_go_on(collection);
        member->resting = false;
    }
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
        !cluster->canceled && !settings_pause(cluster))
        cluster->wrong = "termination came too early";
    if (process_over(collection) && collection->peer.left > 0 && !cluster->canceled)
        member_rest(member);
    else if (process_over(collection))
        member_end(member, collection);
    visited = cluster->visited - visited;
    if ((visited > 0 || ((cluster->canceled || settings_pause(cluster)) && done > 0) ||
         !member->processing) &&
        network_wake(cluster->network, rank,
                     network_clock(cluster->network, rank) + 1 +
                         visited * cluster->settings->task_ns) < 0)
        cluster->wrong = "no memory";
}
