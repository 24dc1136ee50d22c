/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that wait, on one rank: when they are released, which never are, and which calls are
 * refused. */
#include "tests/lib/lone.h"
#include "tests/lib/chance.h"

#include "libjuggle/steal/runtime/waiting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int wait_for(uint64_t id, int64_t count, uint64_t task)
{
    return steal_add_waiting(steal_seeder(lone.runtime), lone.collection, id, count, &task,
                             sizeof(task));
}

static int down(uint64_t id)
{
    return steal_count_down(steal_seeder(lone.runtime), lone.collection, id);
}

START_TEST(a_task_is_released_at_zero_whoever_comes_first)
{
    lone_open((struct steal_properties){.waiting = 1});
    ck_assert_int_eq(wait_for(7, 0, 1), 0);
    ck_assert_int_eq(down(8), 0);
    ck_assert_int_eq(wait_for(8, 2, 2), 0);
    ck_assert_int_eq(down(8), 0);
    /* The number can be used again. */
    ck_assert_int_eq(wait_for(8, 1, 3), 0);
    ck_assert_int_eq(down(8), 0);
    lone_process();
    ck_assert_uint_eq(lone.count, 3);
    ck_assert_uint_eq(lone.seen[0] + lone.seen[1] + lone.seen[2], 6);
    lone_close();
}

START_TEST(what_is_never_released_fails_the_process_and_is_dropped)
{
    lone_open((struct steal_properties){.waiting = 1});
    ck_assert_int_eq(wait_for(5, 2, 1), 0);
    ck_assert_int_eq(down(5), 0);
    lone_expect_error(steal_process(lone.collection), -EDEADLK,
                      "1 counter never came to zero: counter 5 is 1, and its task waits");
    ck_assert_int_eq(down(6), 0);
    lone_expect_error(steal_process(lone.collection), -EDEADLK,
                      "counter 6 was counted down, and no task waits for it");
    ck_assert_int_eq(wait_for(9, 1, 1), 0);
    ck_assert_int_eq(wait_for(9, 1, 2), 0);
    lone_expect_error(steal_process(lone.collection), -EEXIST, "two tasks wait for counter 9");
    ck_assert_uint_eq(lone.count, 0);
    /* Nothing is left of the failed run. */
    ck_assert_int_eq(wait_for(5, 1, 4), 0);
    ck_assert_int_eq(down(5), 0);
    lone_process();
    ck_assert_uint_eq(lone.count, 1);
    lone_close();
}

/* A chain: each task releases the next. */
static void pass_on(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)local;
    for (size_t i = 0; i < count; i++) {
        const uint64_t task = ((const uint64_t *)tasks)[i];

        ck_assert_uint_eq(task, lone.count);
        lone.seen[lone.count++] = task;
        if (task + 1 < LONE_SEEN_MAX)
            ck_assert_int_eq(steal_count_down(worker, lone.collection, task + 1), 0);
    }
}

START_TEST(a_chain_is_executed_in_its_order_by_threads_too)
{
    for (int i = 0; i < 2; i++) {
        lone_open_function((struct steal_properties){.waiting = 1}, i > 0 ? &lone_threads : NULL,
                           pass_on);
        for (uint64_t task = LONE_SEEN_MAX; task-- > 0;)
            ck_assert_int_eq(wait_for(task, task > 0, task), 0);
        ck_assert_int_eq(steal_process(lone.collection), 0);
        ck_assert_uint_eq(lone.count, LONE_SEEN_MAX);
        lone_close();
    }
}

START_TEST(what_cannot_wait_is_told)
{
    struct steal_properties properties = LONE_PROPERTIES(.waiting = 1,
                                                         .retain = STEAL_RETENTION_ALL);
    uint64_t task[2] = {0};
    struct steal_collection *never;

    lone_open((struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    lone_expect_error(wait_for(1, 1, 1), -EINVAL, "the collection was created without waiting");
    lone_expect_error(down(1), -EINVAL, "the collection was created without waiting");
    lone_expect_error(
        steal_collection_create(lone.runtime, &properties, &never), -EINVAL,
        "waiting cannot be combined with retain: restored tasks do not wait for counters");
    properties.retain = STEAL_RETENTION_NONE;
    properties.task_size = STEAL_TASK_SIZE_MAX;
    lone_expect_error(steal_collection_create(lone.runtime, &properties, &never), -EINVAL,
                      "task_size must be at most 65512 with waiting, not 65536");
    lone_close();
    lone_open((struct steal_properties){.waiting = 1});
    seeder = steal_seeder(lone.runtime);
    lone_expect_error(wait_for(1, -1, 1), -EINVAL, "a count must not be negative: -1");
    lone_expect_error(steal_add_waiting(seeder, lone.collection, 1, 1, task, 16), -EMSGSIZE,
                      "a task of 16 bytes is larger than task_size, 8");
    lone_expect_error(steal_add_waiting(seeder, lone.collection, 1, 1, NULL, 0), -EINVAL,
                      "task is NULL");
    ck_assert_int_eq(steal_add_waiting(NULL, lone.collection, 1, 1, task, 8), -EINVAL);
    ck_assert_int_eq(steal_count_down(NULL, lone.collection, 1), -EINVAL);
    ck_assert_int_eq(steal_count_down(seeder, NULL, 1), -EINVAL);
    lone_close();
}

/* ---- the table ------------------------------------------------------------------------------ */

enum { COUNTERS = 3000 };

static int sink(void *context, const void *task)
{
    unsigned char *seen = context;

    seen[*(const uint64_t *)task]++;
    return 0;
}

/* Counters come and go in an order that makes the slots collide. */
START_TEST(no_counter_is_lost_in_the_table)
{
    static unsigned char seen[COUNTERS], room[65536];
    struct waiting_tasks *waiting;
    int released = 0, home;

    ck_assert_int_eq(waiting_open(sizeof(uint64_t), 1, &waiting), 0);
    for (uint64_t i = 0; i < 2 * COUNTERS; i++) {
        const uint64_t id = i * 7919 % COUNTERS;
        uint32_t count;

        ck_assert_int_eq(waiting_note(waiting, id, i < COUNTERS ? 1 : -1, i < COUNTERS ? &id : NULL,
                                      i < COUNTERS ? 8 : 0),
                         0);
        if (i % 97 > 0 && i + 1 < 2 * COUNTERS)
            continue;
        waiting_take_notes(waiting);
        while ((home = waiting_home(waiting)) >= 0) {
            int result;

            waiting_pack(waiting, home, room, 1000, &count);
            ck_assert_uint_gt(count, 0);
            result = waiting_handle(waiting, room, count, sink, seen);
            ck_assert_int_ge(result, 0);
            released += result;
        }
    }
    ck_assert_int_eq(released, COUNTERS);
    for (int i = 0; i < COUNTERS; i++)
        ck_assert_int_eq(seen[i], 1);
    ck_assert_ptr_null(waiting_left(waiting));
    waiting_close(waiting);
}

/* Otherwise a rank that notes millions of calls at once would walk all of them for each message. */
START_TEST(notes_that_are_sent_are_not_gone_over_again)
{
    static unsigned char room[1000];
    struct waiting_tasks *waiting;
    size_t sent = 0;
    uint32_t count;

    ck_assert_int_eq(waiting_open(sizeof(uint64_t), 1, &waiting), 0);
    for (uint64_t id = 0; id < COUNTERS; id++)
        ck_assert_int_eq(waiting_note(waiting, id, -1, NULL, 0), 0);
    waiting_take_notes(waiting);
    while (waiting_home(waiting) >= 0) {
        ck_assert_uint_eq(waiting->outgoing.sent, sent);
        sent += waiting_pack(waiting, 0, room, sizeof(room), &count);
        ck_assert_uint_gt(count, 0);
    }
    ck_assert_uint_eq(sent, COUNTERS * sizeof(struct waiting_note));
    waiting_close(waiting);
}

/* ---- random calls ---- */

enum { LIVES_COUNTERS = 60, LIVES_RANKS = 3, ROOM = 200 };

static struct {
    struct waiting_tasks *ranks[LIVES_RANKS];
    int downs_left[LIVES_COUNTERS]; /* count-downs that are still to be called */
    bool told[LIVES_COUNTERS];      /* the rank has been told that a task waits */
    int released[LIVES_COUNTERS];
} lives;

static int note_release(void *context, const void *task)
{
    uint64_t number;

    (void)context;
    memcpy(&number, task, sizeof(number));
    ALWAYS(number < LIVES_COUNTERS && lives.told[number] && lives.downs_left[number] == 0);
    lives.released[number]++;
    return 0;
}

/* Sends the notes of a rank to the ranks where the counters have their homes, in small messages. */
static void send_notes(struct waiting_tasks *from)
{
    unsigned char room[ROOM];
    uint32_t count;
    int home;

    waiting_take_notes(from);
    while ((home = waiting_home(from)) >= 0) {
        ALWAYS(home < LIVES_RANKS && waiting_pack(from, home, room, ROOM, &count) <= ROOM);
        ALWAYS(count > 0);
        ALWAYS(waiting_handle(lives.ranks[home], room, count, note_release, NULL) >= 0);
    }
}

/* Makes one of the calls that are still to be made for some counter. Returns false if none is
 * left. */
static bool say_something(const int counts[LIVES_COUNTERS])
{
    const uint64_t first = (uint64_t)below(LIVES_COUNTERS);

    for (uint64_t i = 0; i < LIVES_COUNTERS; i++) {
        const uint64_t number = (first + i) % LIVES_COUNTERS;
        struct waiting_tasks *rank = lives.ranks[below(LIVES_RANKS)];
        if (!lives.told[number] && (one_in(2) || !lives.downs_left[number])) {
            lives.told[number] = true;
            ck_assert_int_eq(
                waiting_note(rank, number << 20, counts[number], &number, sizeof(number)), 0);
            return true;
        }
        if (lives.downs_left[number]) {
            lives.downs_left[number]--;
            ck_assert_int_eq(waiting_note(rank, number << 20, -1, NULL, 0), 0);
            return true;
        }
    }
    return false;
}

static void count_down_anyhow(void)
{
    int counts[LIVES_COUNTERS];

    memset(&lives, 0, sizeof(lives));
    for (int rank = 0; rank < LIVES_RANKS; rank++)
        ck_assert_int_eq(waiting_open(sizeof(uint64_t), LIVES_RANKS, &lives.ranks[rank]), 0);
    for (int i = 0; i < LIVES_COUNTERS; i++)
        counts[i] = lives.downs_left[i] = (int)below(5);
    while (say_something(counts))
        if (one_in(10))
            send_notes(lives.ranks[below(LIVES_RANKS)]);
    for (int rank = 0; rank < LIVES_RANKS; rank++)
        send_notes(lives.ranks[rank]);
    for (int i = 0; i < LIVES_COUNTERS; i++)
        ALWAYS(lives.released[i] == 1);
    for (int rank = 0; rank < LIVES_RANKS; rank++) {
        ALWAYS(!waiting_left(lives.ranks[rank]) && !waiting_pending(lives.ranks[rank]));
        waiting_close(lives.ranks[rank]);
    }
}

START_TEST(every_task_is_released_once_and_never_too_soon)
{
    live_with_seeds(500, count_down_anyhow);
}

SUITE("steal waiting")
