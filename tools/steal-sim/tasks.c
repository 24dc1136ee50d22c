/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of virtual ranks: nodes of a tree, which are really expanded, or tasks of a set, which
 * only take virtual time. */
#include "tools/steal-sim/member.h"
#include "tools/steal-sim/network.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Spends the virtual time of work that takes an undisturbed processor time_ns, and returns the time
 * that it takes here. In polling mode the rank is busy meanwhile; with a server it still receives
 * messages. */
static int64_t spend(struct virtual_rank *member, int64_t time_ns)
{
    struct steal_simulation *simulation = member->simulation;
    const bool server = simulation->settings->options->server;
    const int rank = steal_rank(member->runtime);

    simulation->result->work_ns += time_ns;
    if (simulation->result->work_ns > simulation->settings->work_most_ns) {
        simulation->wrong = "tasks take longer together than a clock of nanoseconds holds";
        return 0;
    }
    const int64_t begin_ns = network_clock(simulation->network, rank) +
                             (server ? member->worked_ns : 0);
    const int64_t took_ns = processors_finish(simulation->processors, rank, begin_ns, time_ns) -
                            begin_ns;

    member->worked_ns += took_ns;
    simulation->result->round[member->round].work_ns += time_ns;
    if (!server)
        network_compute(simulation->network, rank, time_ns);
    return took_ns;
}

/* ---- a tree -------------------------------------------------------------------------------- */

/* Adds the tasks that were found to the deque in pieces, so that it gets no larger than needed. */
static int nodes_add(struct steal_worker *worker, struct virtual_rank *member)
{
    size_t count;
    const struct node *found = nodes_found(member->simulation->nodes, &count);
    int error = 0;

    for (size_t done = 0; done < count && error == 0;) {
        const size_t piece = (size_t)min_i64((int64_t)(count - done), STEAL_BATCH_MAX);
        void *room;

        error = steal_reserve(worker, member->collection, piece, &room);
        if (error < 0)
            break;
        memcpy(room, found + done, piece * sizeof(*found));
        steal_commit(worker, member->collection, piece);
        done += piece;
    }
    checker_add_nodes(&member->simulation->checker, found, sizeof(*found), count);
    return error;
}

void tree_execute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct virtual_rank *member = local;
    struct steal_simulation *simulation = member->simulation;
    const int64_t known = nodes_census(simulation->nodes).nodes;

    if (nodes_expand(simulation->nodes, tasks, count) < 0 || nodes_add(worker, member) < 0)
        simulation->wrong = "a rank has no room for its nodes: --memory gives more";
    checker_execute_nodes(&simulation->checker, tasks, sizeof(struct node), count);
    simulation->tasks_done += (int64_t)count;
    (void)spend(member,
                (nodes_census(simulation->nodes).nodes - known) * simulation->settings->visit_ns);
}

int tree_seed(struct steal_simulation *simulation)
{
    struct virtual_rank *root = &simulation->member[0];
    int error = nodes_expand_root(simulation->nodes);

    if (!error)
        error = nodes_add(steal_seeder(root->runtime), root);
    if (error == 0 && simulation->settings->scatter)
        error = steal_scatter(root->collection, 0);
    return error;
}

/* ---- a set --------------------------------------------------------------------------------- */

struct set_task {
    uint32_t index;
    uint32_t spare;
};

void set_execute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct virtual_rank *member = local;
    struct steal_simulation *simulation = member->simulation;
    const struct simulation_settings *settings = simulation->settings;
    const struct set_task *task = tasks;

    for (size_t i = 0; i < count; i++) {
        const int64_t time_ns = work_duration(settings->work, &settings->change, task[i].index,
                                              member->round);

        const int64_t took_ns = spend(member, time_ns);

        checker_execute(&simulation->checker, task[i].index, member->round, took_ns);
        steal_took(worker, i, took_ns);
    }
    simulation->tasks_done += (int64_t)count;
}

int set_seed(struct virtual_rank *member, int rank)
{
    struct steal_simulation *simulation = member->simulation;
    const struct simulation_settings *settings = simulation->settings;
    const struct portion portion = start_portion(
        settings->options->start, settings->work->tasks_count, rank, settings->options->ranks);
    int error = 0;

    for (int64_t i = portion.first; i < portion.end && error == 0; i += portion.step) {
        const struct set_task task = {.index = (uint32_t)i};

        error = steal_add(steal_seeder(member->runtime), member->collection, &task, sizeof(task));
        checker_add(&simulation->checker, 1);
    }
    return error;
}
