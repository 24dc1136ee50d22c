/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs whose threads compute and pause at random: a thread that computes is a worker, one
 * that pauses for long is none, and no thread joins and leaves without reason. */
#include "tests/lib/chance.h"

#include "libjuggle/job/workers.h"

#include <math.h>
#include <string.h>

enum { THREADS_MAX = 6 };

#define MS NSEC_PER_MSEC

static struct actor {
    bool present, working;
    double run_share;
    int64_t since_ns;   /* when it began what it does now */
    int left_count;     /* times since then */
    double looks_awake; /* the looks that find it awake are a part that equals its share */
    struct thread_info info;
} actors[THREADS_MAX];

static struct workers *workers;
static int64_t now_ns;
static int working_count;

static void joined(void *context, int index)
{
    (void)context;
    ALWAYS(actors[index].present && !actors[index].working);
    ALWAYS(workers_complete(workers));
    actors[index].working = true;
    working_count++;
}

static void left(void *context, int index)
{
    (void)context;
    ALWAYS(actors[index].working);
    actors[index].working = false;
    actors[index].left_count++;
    working_count--;
}

static void do_something_else(struct actor *actor)
{
    static const double shares[] = {0, 0, 0, 0.01, 0.5, 0.9, 1, 1, 1};

    actor->run_share = shares[below(ARRAY_COUNT(shares))];
    actor->since_ns = now_ns;
    actor->left_count = 0;
}

static void come_or_go(int index)
{
    struct actor *actor = &actors[index];

    if (actor->present) {
        workers_exited(workers, index);
        working_count -= actor->working;
        *actor = (struct actor){0};
        return;
    }
    *actor = (struct actor){.present = true, .info.id = {1, index + 1, 1}};
    do_something_else(actor);
    workers_arrived(workers, index, &actor->info, 0, now_ns);
}

static void look(int64_t interval_ns)
{
    const struct workers_listener listener = {.joined = joined, .left = left};

    now_ns += interval_ns;
    for (int i = 0; i < THREADS_MAX; i++) {
        struct actor *actor = &actors[i];
        if (!actor->present)
            continue;
        actor->info.run_ns += (int64_t)(actor->run_share * (double)interval_ns);
        const double before = actor->looks_awake;
        actor->looks_awake += actor->run_share;
        actor->info.runnable = floor(actor->looks_awake) > floor(before);
        workers_observe(workers, i, &actor->info, now_ns);
    }
    workers_decide(workers, now_ns, &listener);
    ALWAYS(!workers_fault(workers));
}

static bool does_for(const struct actor *actor, double share, int64_t time_ns)
{
    return actor->present && actor->run_share == share && now_ns - actor->since_ns >= time_ns;
}

static void check(int expected)
{
    int busy_count = 0;

    for (int i = 0; i < THREADS_MAX; i++) {
        const struct actor *actor = &actors[i];
        /* Each thread leaves at most once until it does something different. */
        ALWAYS(actor->left_count <= 1);
        busy_count += does_for(actor, 1, 500 * MS);
        if (expected || !workers_complete(workers))
            continue;
        ALWAYS(!does_for(actor, 1, 500 * MS) || actor->working);
        ALWAYS(!does_for(actor, 0, WORKERS_IDLE_NS + 500 * MS) || !actor->working);
    }
    ALWAYS(busy_count < 2 || workers_complete(workers) || busy_count < expected);
    ALWAYS(!expected || working_count <= expected);
    ALWAYS(!expected || !workers_complete(workers) || busy_count < expected ||
           working_count == expected);
}

static void live(void)
{
    const int expected = one_in(2) ? 0 : (int)between(2, 4);
    const struct workers_options options = {
        .expected = expected, .idle = WORKERS_IDLE_AUTO, .threads_max = THREADS_MAX};

    memset(actors, 0, sizeof(actors));
    now_ns = working_count = 0;
    ck_assert_int_eq(workers_create(&options, &workers), 0);
    for (int i = 0; i < 40; i++) {
        const int64_t until_ns = now_ns + (one_in(3) ? below(60 * NSEC_PER_SEC) : below(400 * MS));
        const int index = (int)below(THREADS_MAX);
        if (one_in(3) || !actors[index].present)
            come_or_go(index);
        else
            do_something_else(&actors[index]);
        while (now_ns < until_ns) {
            /* Looks are less frequent when nothing has changed for long. */
            look(until_ns - now_ns > 2 * NSEC_PER_SEC ? 5 * MS : 50 * MS);
            check(expected);
        }
    }
    workers_destroy(workers);
}

START_TEST(who_computes_is_a_worker_and_nobody_joins_and_leaves_for_nothing)
{
    live_with_seeds(150, live);
}

SUITE("workers_lives")
