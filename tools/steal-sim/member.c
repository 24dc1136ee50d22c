/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/member.h"

#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/runtime/tables.h"
#include "libjuggle/steal/runtime/process.h"
#include "libjuggle/steal/runtime/talk.h"

#include <errno.h>

enum { DEQUE_FIRST = 16, BINS = 4, TRACE_EVENTS = 1 << 14 };

/* ---- rounds -------------------------------------------------------------------------------- */

static struct simulation_round *member_account(const struct virtual_rank *member)
{
    return &member->simulation->result->round[member->round];
}

static bool steals_now(const struct virtual_rank *member)
{
    const struct simulation_settings *settings = member->simulation->settings;

    if (!settings->work)
        return true;
    return member->round == 0 ? settings->scheme->steals_first && !settings->options->first_static
                              : settings->scheme->steals;
}

static void member_process(struct virtual_rank *member)
{
    struct steal_simulation *simulation = member->simulation;
    struct simulation_round *round = member_account(member);
    const int64_t now_ns = network_now(simulation->network);

    if (steal_isolate(member->collection, !steals_now(member)) < 0)
        simulation->wrong = "isolation was refused";
    process_begin(member->collection);
    member->processing = true;
    member->begun = true;
    member->active_since_ns = member->collection->peer.idle ? -1 : now_ns;
    if (round->begin_ns < 0)
        round->begin_ns = now_ns;
}

static void member_rebalance(struct virtual_rank *member)
{
    struct steal_balance balance = member->simulation->settings->balance;

    balance.balancer = member->simulation->settings->scheme->balancer;
    parameters_default(&balance_parameters, &balance);
    if (rebalance_open(member->collection, &balance, &member->rebalance) < 0)
        member->simulation->wrong = "balancing could not begin";
    else
        rebalance_begin(member->rebalance);
    member->begun = true;
}

static void member_add_up(struct virtual_rank *member)
{
    struct steal_simulation *simulation = member->simulation;
    struct simulation_round *round = member_account(member);
    const struct steal_statistics own = member->collection->statistics;

    round->end_ns = max_i64(round->end_ns,
                            network_clock(simulation->network, steal_rank(member->runtime)));
    round->load_ns += own.load_ns;
    round->load_max_ns = max_i64(round->load_max_ns, own.load_ns);
    round->predicted_ns += own.predicted_ns;
    round->predicted_max_ns = max_i64(round->predicted_max_ns, own.predicted_ns);
    round->tasks_executed += own.tasks_executed;
    round->attempts += own.steals_attempted;
    round->successes += own.steals_successful;
    round->attempts_deviation += (double)own.steals_attempted * (double)own.steals_attempted;
    round->successes_deviation += (double)own.steals_successful * (double)own.steals_successful;
    round->tasks_moved += own.tasks_taken + own.tasks_moved;
    round->balance_ns = max_i64(round->balance_ns, own.balance_ns);
    round->sessions += own.sessions;
    round->session_ns += own.session_ns;
    round->messages += own.messages;
    if (simulation->settings->work)
        checker_account(&simulation->checker, member->round, own.predicted_ns, own.load_ns);
    if (own.steals_attempted != own.steals_successful + own.steals_failed)
        simulation->wrong = "a steal was not answered";
}

/* Ends the round of a rank and begins the next one. The tasks of the next round are counted when
 * they are added. */
static void member_next(struct virtual_rank *member, int rank)
{
    struct steal_simulation *simulation = member->simulation;
    const struct simulation_settings *settings = simulation->settings;
    int error;

    process_end(member->collection);
    member->processing = false;
    member_add_up(member);
    if (++member->round == simulation->result->rounds) {
        simulation->finished++;
        return;
    }
    if (settings->scheme->seed == SEED_KEPT) {
        checker_add(&simulation->checker, member->collection->statistics.tasks_executed);
        error = steal_restore(member->collection);
        checker_expect(&simulation->checker, member->round, member->collection->predicted_ns);
    } else {
        error = set_seed(member, rank);
    }
    if (error < 0)
        simulation->wrong = "a rank has no room for its tasks: --memory gives more";
    if (settings->scheme->balances && member->round >= settings->scheme->balances_from)
        member_rebalance(member);
    else
        member_process(member);
}

/* ---- turns --------------------------------------------------------------------------------- */

static void note_activity(struct virtual_rank *member, int64_t now_ns)
{
    const bool active = member->processing && !member->collection->peer.idle;

    if (active == (member->active_since_ns >= 0))
        return;
    if (!active)
        timeline_add(&member->simulation->timeline, member->active_since_ns, now_ns);
    member->active_since_ns = active ? now_ns : -1;
}

static void rebalance_go_on(struct virtual_rank *member)
{
    struct steal_simulation *simulation = member->simulation;

    if (rebalance_turn(member->rebalance) < 0)
        simulation->wrong = "a turn of balancing failed";
    if (!rebalance_over(member->rebalance))
        return;
    if (rebalance_end(member->rebalance) < 0)
        simulation->wrong = "balancing failed";
    member->rebalance = NULL;
    member_process(member);
}

static void process_go_on(struct virtual_rank *member, int rank)
{
    struct steal_simulation *simulation = member->simulation;
    const bool running = member->collection->peer.phase == PEER_RUNNING;

    if (process_turn(member->collection) < 0)
        simulation->wrong = "a turn failed";
    if (running && member->collection->peer.phase != PEER_RUNNING)
        checker_end(&simulation->checker);
    if (process_over(member->collection))
        member_next(member, rank);
}

/* The server's part of a turn while the rank computes. */
static void server_go_on(struct virtual_rank *member)
{
    if (talk_handle_all(member->collection) < 0 || talk_deal(member->collection) < 0)
        member->simulation->wrong = "a server's turn failed";
}

/* Schedules the next turn: at once if the rank has tasks, otherwise at the next message. */
static void member_wake(struct virtual_rank *member, int rank)
{
    struct steal_simulation *simulation = member->simulation;
    struct network *network = simulation->network;
    const int64_t now_ns = network_now(network), clock_ns = network_clock(network, rank);
    int error = 0;

    if (simulation->settings->options->server && member->worked_ns > 0) {
        member->computes_until_ns = clock_ns + member->worked_ns;
        error = network_remind(network, rank, member->computes_until_ns);
    } else if (member->begun || (member->processing && !member->collection->peer.idle)) {
        error = network_wake(network, rank, max_i64(clock_ns, now_ns + 1));
    }
    if (error < 0)
        simulation->wrong = "no memory";
}

void member_turn(struct virtual_rank *member, int rank)
{
    struct steal_simulation *simulation = member->simulation;
    const int64_t now_ns = network_now(simulation->network);

    if (member->round == simulation->result->rounds)
        return;
    if (member->computes_until_ns > now_ns) {
        server_go_on(member);
        return;
    }
    member->computes_until_ns = 0;
    member->worked_ns = 0;
    member->begun = false;
    if (member->rebalance)
        rebalance_go_on(member);
    else if (!member->processing)
        member_process(member);
    else
        process_go_on(member, rank);
    note_activity(member, now_ns);
    member_wake(member, rank);
}

/* ---- life ---------------------------------------------------------------------------------- */

static struct steal_properties member_properties(struct virtual_rank *member)
{
    const struct simulation_settings *settings = member->simulation->settings;
    struct steal_properties properties = settings->properties;
    const bool set = settings->work != NULL;

    properties.size = sizeof(properties);
    properties.task_size = set ? sizeof(int64_t) : sizeof(struct node);
    if (set)
        properties.batch = 1;
    properties.tasks = DEQUE_FIRST;
    properties.local = member;
    properties.seed = settings->options->seed;
    if (!set)
        return properties;
    properties.bins = BINS;
    properties.retain = STEAL_RETENTION_SEEDED;
    return properties;
}

int member_open(struct steal_simulation *simulation, int rank)
{
    const struct steal_options options = {.size = sizeof(struct steal_options),
                                          .trace_events = simulation->settings->trace ? TRACE_EVENTS
                                                                                      : 0};
    struct virtual_rank *member = &simulation->member[rank];
    struct steal_properties properties;
    int error;

    *member = (struct virtual_rank){.simulation = simulation, .active_since_ns = -1};
    properties = member_properties(member);
    error = runtime_open(network_endpoint(simulation->network, rank), &options, &member->runtime,
                         NULL);
    if (!error)
        error = steal_function_register(member->runtime, "execute",
                                        simulation->settings->work ? set_execute : tree_execute,
                                        &properties.function);
    if (!error)
        error = steal_collection_create(member->runtime, &properties, &member->collection);
    if (error < 0) {
        struct simulation_result *result = simulation->result;
        if (error == -EINVAL)
            snprintf(result->refusal, sizeof(result->refusal), "%s",
                     steal_message(member->runtime));
        return error;
    }
    simulation->next[rank] = member->collection;
    return simulation->settings->work ? set_seed(member, rank) : 0;
}

void member_close(struct virtual_rank *member)
{
    rebalance_free(member->rebalance);
    if (member->runtime)
        member->runtime->processing = NULL;
    (void)steal_collection_destroy(member->collection);
    (void)steal_runtime_destroy(member->runtime);
}
