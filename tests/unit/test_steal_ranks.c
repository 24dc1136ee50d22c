/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks on their network, turn by turn: what one tells the other, and what comes too late. */
#include "tests/lib/lone.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/runtime/broken.h"
#include "libjuggle/steal/runtime/inbox.h"
#include "libjuggle/steal/runtime/process.h"
#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/runtime/sort_buffer.h"
#include "libjuggle/steal/runtime/stash.h"
#include "tools/steal-sim/network.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2 };

static struct {
    struct network *network;
    struct steal_runtime *runtime[RANKS];
    struct steal_collection *collection[RANKS];
} pair;

static void pair_open(struct steal_properties properties, const struct places *places)
{
    const struct network_settings settings = {
        .ranks = RANKS, .latency_ns = lone_latency_ns, .places = places};

    properties.size = sizeof(properties);
    properties.task_size = sizeof(uint64_t);
    ck_assert_int_eq(network_open(&settings, &pair.network), 0);
    for (int rank = 0; rank < RANKS; rank++) {
        ck_assert_int_eq(
            runtime_open(network_endpoint(pair.network, rank), NULL, &pair.runtime[rank], NULL), 0);
        ck_assert_int_eq(steal_function_register(pair.runtime[rank], "nothing", lone_nothing,
                                                 &properties.function),
                         0);
        ck_assert_int_eq(
            steal_collection_create(pair.runtime[rank], &properties, &pair.collection[rank]), 0);
    }
}

static void pair_close(void)
{
    for (int rank = 0; rank < RANKS; rank++) {
        ck_assert_int_eq(steal_collection_destroy(pair.collection[rank]), 0);
        ck_assert_int_eq(steal_runtime_destroy(pair.runtime[rank]), 0);
    }
    network_close(pair.network);
}

static void begin(void)
{
    for (int rank = 0; rank < RANKS; rank++) {
        process_begin(pair.collection[rank]);
        ck_assert_int_eq(network_wake(pair.network, rank, 1), 0);
    }
}

static void end(void)
{
    for (int rank = 0; rank < RANKS; rank++)
        process_end(pair.collection[rank]);
}

/* Takes the next rank's turn, and plans another one soon if it did something; returns that rank,
 * or -1 if there is none. */
static int turn(void)
{
    int rank, did;

    if (network_next(pair.network, &rank) != 1)
        return -1;
    if (process_over(pair.collection[rank]))
        return rank;
    did = process_turn(pair.collection[rank]);
    ck_assert_int_ge(did, 0);
    if (did > 0)
        ck_assert_int_eq(network_wake(pair.network, rank, network_now(pair.network) + 1), 0);
    return rank;
}

static void play(void)
{
    while (turn() >= 0)
        continue;
    for (int rank = 0; rank < RANKS; rank++)
        ck_assert(process_over(pair.collection[rank]));
    ck_assert_int_eq(network_under_way(pair.network), 0);
    end();
}

/* Returns a number whose counter has its home on rank 0. */
static uint64_t id_of_rank_0(void)
{
    struct waiting_tasks *waiting;
    uint64_t id = 0;
    int home;

    ck_assert_int_eq(waiting_open(sizeof(uint64_t), RANKS, &waiting), 0);
    do {
        ck_assert_int_eq(waiting_note(waiting, ++id, -1, NULL, 0), 0);
        waiting_take_notes(waiting);
        home = waiting_home(waiting);
        waiting_clear(waiting);
    } while (home != 0);
    waiting_close(waiting);
    return id;
}

START_TEST(two_tasks_for_one_number_cancel_wherever_it_is_at_home)
{
    const uint64_t id = id_of_rank_0(), task = 1;

    pair_open((struct steal_properties){.waiting = 1}, NULL);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(steal_add_waiting(steal_seeder(pair.runtime[1]), pair.collection[1], id, 1,
                                           &task, sizeof(task)),
                         0);
    begin();
    play();
    for (int rank = 0; rank < RANKS; rank++)
        ck_assert(pair.collection[rank]->peer.canceled);
    pair_close();
}

/* A result that cannot be stored cancels in this way. */
START_TEST(a_cancellation_that_comes_after_the_end_is_told_nobody)
{
    for (int which = 0; which < RANKS; which++) {
        struct steal_collection *late;
        const uint64_t task = 1;

        pair_open((struct steal_properties){0}, NULL);
        late = pair.collection[which];
        ck_assert_int_eq(
            steal_add(steal_seeder(pair.runtime[0]), pair.collection[0], &task, sizeof(task)), 0);
        begin();
        while (late->peer.phase == PEER_RUNNING)
            ck_assert_int_ge(turn(), 0);
        halt_set(late, HALT_CANCEL);
        play();
        ck_assert(!late->peer.canceled);
        pair_close();
    }
}

/* Returns how many messages rank 0 sends when it finds a better bound. */
static int64_t messages_of_a_bound(const struct places *places)
{
    const struct steal_properties properties = {.bound = STEAL_BOUND_MAX, .isolate = 1};
    int64_t without, with;

    pair_open(properties, places);
    begin();
    play();
    without = pair.collection[0]->statistics.messages;
    ck_assert_int_eq(steal_bound_improve(pair.collection[0], 7), 1);
    begin();
    play();
    with = pair.collection[0]->statistics.messages;
    pair_close();
    return with - without;
}

/* If places are given by coordinates, ranks of two hosts may be in one place. */
START_TEST(a_bound_is_told_to_those_who_do_not_share_its_memory)
{
    const int32_t node[] = {0, 0}, first[] = {0, 2}, member[] = {0, 1}, host[] = {0, 1};
    struct places places = {.ranks = RANKS,
                            .nodes = 1,
                            .node = node,
                            .first = first,
                            .member = member,
                            .distance = distance_by_node};

    ck_assert_int_eq(messages_of_a_bound(&places), 0);
    places.host = host;
    ck_assert_int_eq(messages_of_a_bound(&places), 1);
}

START_TEST(who_cannot_go_on_says_so_to_the_other_ranks)
{
    pair_open((struct steal_properties){0}, NULL);
    begin();
    ck_assert_int_eq(broken_leave(pair.collection[1], -ENOMEM), -ENOMEM);
    ck_assert_str_eq(steal_message(pair.runtime[1]),
                     "this rank cannot go on: Cannot allocate memory");
    ck_assert_int_eq(broken_leave(pair.collection[1], -ENOMEM), -ENOMEM);
    ck_assert_int_eq(network_under_way(pair.network), 1);
    for (int result = 0, rank; result != -ECANCELED;) {
        ck_assert_int_eq(network_next(pair.network, &rank), 1);
        if (rank == 0)
            result = process_turn(pair.collection[0]);
    }
    ck_assert_str_eq(steal_message(pair.runtime[0]), "rank 1 cannot go on: Cannot allocate memory");
    ck_assert(halt_of(pair.collection[1]) & HALT_CANCEL);
    end();
    for (int i = 0; i < RANKS; i++)
        ck_assert_int_eq(steal_runtime_failed(pair.runtime[i]), 1);
    ck_assert_str_eq(steal_message(pair.runtime[0]), "rank 1 cannot go on: Cannot allocate memory");
    pair_close();
}

static int no_reduce(struct transport *transport, enum transport_reduction reduction,
                     int64_t *values, size_t count)
{
    (void)transport, (void)reduction, (void)values, (void)count;
    return -EIO;
}

START_TEST(a_runtime_has_failed_if_the_ranks_cannot_be_reached)
{
    struct transport_ops ops;
    int64_t value = 0;

    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_runtime_failed(lone.runtime), 0);
    ops = *lone.runtime->transport->ops;
    ops.reduce = no_reduce;
    lone.runtime->transport->ops = &ops;
    lone_expect_error(steal_sum(lone.runtime, &value, 1), -EIO, "the ranks cannot be reached");
    ck_assert_int_eq(steal_runtime_failed(lone.runtime), 1);
    ck_assert_int_eq(steal_runtime_failed(NULL), -EINVAL);
    lone_close();
}

/* ---- memory -------------------------------------------------------------------------------- */

static void *no_room(struct transport *transport)
{
    (void)transport;
    return NULL;
}

static uint32_t pending_claims(const struct deque *deque)
{
    return (uint32_t)atomic_load(&deque->tail.bounds) - atomic_load(&deque->tail.itail);
}

/* Tasks that have an order are claimed, tier by tier, before there is room for a message. */
START_TEST(claims_are_completed_if_there_is_no_memory_to_send_tasks)
{
    struct steal_collection *collection;
    struct transport_ops ops;
    int rank, result = 0;

    pair_open((struct steal_properties){.weighted = 1, .poll_tasks = 1}, NULL);
    collection = pair.collection[0];
    for (uint64_t task = 0; task < 4; task++)
        ck_assert_int_eq(steal_add_weighted(steal_seeder(pair.runtime[0]), collection,
                                            INT64_C(64) << task, &task, sizeof(task)),
                         0);
    process_begin(collection);
    process_begin(pair.collection[1]);
    ops = *collection->transport->ops;
    ops.room = no_room;
    collection->transport->ops = &ops;
    /* Rank 0 gets its first turn when the request of rank 1 arrives. */
    ck_assert_int_eq(network_wake(pair.network, 1, 1), 0);
    while (result >= 0 && network_next(pair.network, &rank) == 1)
        result = process_turn(pair.collection[rank]);
    ck_assert_int_eq(result, -ENOMEM);
    for (int tier = 0; tier < collection->worker_tasks[0].tiers.count; tier++)
        ck_assert_uint_eq(pending_claims(&collection->worker_tasks[0].tiers.deque[tier]), 0);
    end();
    pair_close();
}

/* The heap memory that it needs is there, but its ring, which is mapped, cannot be made. */
START_TEST(a_rank_that_has_no_memory_for_its_tasks_does_not_look_dry)
{
    struct steal_collection *collection;
    const uint64_t task = 1;

    pair_open((struct steal_properties){.tasks = 1 << 20}, NULL);
    collection = pair.collection[1];
    collection->worker_tasks[0].batch = aligned_alloc(DEQUE_LINE, DEQUE_LINE);
    ck_assert_int_eq(stash_add(&collection->stash, -1, &task, 1, sizeof(task)), 0);
    begin();
    const rlim_t before = limit_set(RLIMIT_AS, 0);
    const int result = process_turn(collection);
    limit_set(RLIMIT_AS, before);
    ck_assert_int_eq(result, -ENOMEM);
    ck_assert(!collection->peer.idle);
    end();
    pair_close();
}

/* The same for the threads of a rank: the tasks that arrived are in the inbox, and no thread has
 * a deque yet. Sanitizers map memory themselves. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
START_TEST(threads_that_have_no_memory_for_what_arrived_do_not_wait_for_ever)
{
    enum { SIZE = 4096 };
    static const unsigned char task[SIZE];
    const struct steal_options threads = {
        .size = sizeof(threads), .mode = STEAL_MODE_THREADS, .workers = 2};

    for (int weighted = 0; weighted < 2; weighted++) {
        struct steal_properties properties = {.size = sizeof(properties),
                                              .function = 1,
                                              .task_size = SIZE,
                                              .tasks = SIZE,
                                              .weighted = weighted};
        struct steal_collection *collection;
        struct rlimit limit, none;

        lone_open_function((struct steal_properties){0}, &threads, lone_nothing);
        ck_assert_int_eq(steal_collection_create(lone.runtime, &properties, &collection), 0);
        ck_assert_int_eq(inbox_accept(collection, -1, task, 1), 0);
        ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
        none = (struct rlimit){0, limit.rlim_max};
        ck_assert_int_eq(setrlimit(RLIMIT_AS, &none), 0);
        const int result = steal_process(collection);
        ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
        ck_assert_int_eq(result, -ENOMEM);
        lone_expect_message("this rank cannot go on: Cannot allocate memory");
        ck_assert_int_eq(steal_collection_destroy(collection), 0);
        lone_close();
    }
}

START_TEST(threads_that_cannot_be_started_are_told_with_the_reason)
{
    const struct steal_options threads = {
        .size = sizeof(threads), .mode = STEAL_MODE_THREADS, .workers = 4};
    const struct network_settings settings = {.ranks = 1, .latency_ns = lone_latency_ns};
    struct steal_runtime *runtime = NULL;
    struct steal_error error = {""};
    struct network *network;

    ck_assert_int_eq(network_open(&settings, &network), 0);
    free(malloc(1 << 16)); /* what the runtime itself needs */
    const rlim_t before = limit_set(RLIMIT_AS, 0);
    const int result = runtime_open(network_endpoint(network, 0), &threads, &runtime, &error);
    limit_set(RLIMIT_AS, before);
    ck_assert_str_eq(error.message, "cannot start 4 threads: Resource temporarily unavailable");
    ck_assert_int_eq(result, -EAGAIN);
    network_close(network);
}

/* After balancing the tasks are put back, but neither the deque nor the stash gets memory. */
START_TEST(a_runtime_that_has_lost_tasks_for_want_of_memory_has_failed)
{
    enum { SIZE = 16384, TASKS = 256 };
    struct steal_properties properties = {.size = sizeof(properties),
                                          .function = 1,
                                          .task_size = SIZE,
                                          .tasks = 2,
                                          .retain = STEAL_RETENTION_ALL};
    struct steal_collection *collection;
    struct ledger *sort_buffer = NULL;

    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_collection_create(lone.runtime, &properties, &collection), 0);
    ck_assert_int_eq(sort_buffer_open(collection, &sort_buffer), 0);
    ledger_clear(sort_buffer);
    void *entry = calloc(1, sort_buffer->stride);
    for (int i = 0; i < TASKS; i++)
        ck_assert(ledger_add(sort_buffer, entry));
    free(entry);
    const rlim_t before = limit_set(RLIMIT_AS, 0);
    const int result = sort_buffer_place(collection, sort_buffer, false);
    limit_set(RLIMIT_AS, before);
    lone_expect_error(result, -ENOMEM, "no memory: tasks are lost");
    ck_assert_int_eq(broken_share(lone.runtime, result), -ENOMEM);
    ck_assert_int_eq(steal_runtime_failed(lone.runtime), 1);
    lone_expect_error(steal_process(collection), -EPROTO,
                      "a rank has failed before: nothing can be processed");
    ck_assert_int_eq(steal_collection_destroy(collection), 0);
    lone_close();
}
#endif

SUITE("steal ranks")
