/* SPDX-License-Identifier: BSD-3-Clause */
/* Balancing by the time that tasks took before, on a network that shuffles messages. STRESS=1 in
 * the environment balances 2,000 ranks over 200 seeds, and runs all other tests over more seeds. */
#include "tests/lib/suite.h"

#include "tests/sim/arena.h"

#include "libjuggle/ground/prng.h"

#include <math.h>

static const double ABOVE = 1.003;

/* ---- scenes -------------------------------------------------------------------------------- */

enum spread { EVEN, SKEWED, ONE_RANK, SPREADS };

/* A random load like those of the published chains of beryllium: many short tasks, and few that are
 * six times the mean. */
static int64_t random_load(struct prng *prng)
{
    const double load = -log(1 - prng_unit(prng) * (1 - exp(-5.9)));

    return (int64_t)(load * 1e6);
}

static int random_rank(struct prng *prng, enum spread spread, int ranks)
{
    switch (spread) {
    case EVEN:
        return (int)prng_below(prng, (uint64_t)ranks);
    case SKEWED:
        return (int)prng_below(prng, 1 + prng_below(prng, (uint64_t)ranks));
    default:
        return ranks / 2;
    }
}

static struct arena scene(int ranks, int tasks, enum spread spread, uint64_t seed)
{
    struct arena arena = {.tasks = tasks,
                          .shape = {.ranks = ranks, .arity = 3},
                          .options = {.donate_above = ABOVE, .fill_below = ABOVE},
                          .seed = seed,
                          .starved = -1,
                          .full = -1};
    struct prng prng;

    prng_seed(&prng, ~seed);
    arena.task = calloc((size_t)tasks + 1, sizeof(*arena.task));
    for (int i = 0; i < tasks; i++)
        arena.task[i] = (struct arena_task){
            .id = i, .load_ns = random_load(&prng), .rank = random_rank(&prng, spread, ranks)};
    return arena;
}

static void run(struct arena *arena)
{
    const int64_t before_ns = arena_greatest(arena, 0);
    const char *wrong = arena_run(arena);

    REQUIRE(!wrong, "%d ranks, arity %d, %d tasks, seed %lu: %s", arena->shape.ranks,
            arena->shape.arity, arena->tasks, (unsigned long)arena->seed, wrong);
    REQUIRE(arena_greatest(arena, 0) <= before_ns, "worse than before: %d ranks, seed %lu",
            arena->shape.ranks, (unsigned long)arena->seed);
    REQUIRE(arena_greatest(arena, 0) == arena->decision.after_ns, "not as decided: %ld, %ld",
            (long)arena_greatest(arena, 0), (long)arena->decision.after_ns);
    REQUIRE(arena->moved == (arena->decision.go ? arena->decision.tasks : 0),
            "%ld tasks moved, %ld decided", (long)arena->moved, (long)arena->decision.tasks);
}

static double imbalance(const struct arena *arena)
{
    return (double)arena_greatest(arena, 0) * arena->shape.ranks / (double)arena->decision.load_ns;
}

/* ---- what must hold ------------------------------------------------------------------------ */

START_TEST(any_number_of_ranks_any_arity_loses_no_task_and_is_no_worse)
{
    static const int ranks[] = {1, 2, 3, 4, 5, 7, 8, 13, 31, 64, 97};
    static const int arities[] = {2, 3, 4, 7, 1000};
    const uint64_t seeds = stress() ? 200 : 12;

    for (size_t i = 0; i < ARRAY_COUNT(ranks); i++)
        for (size_t j = 0; j < ARRAY_COUNT(arities); j++)
            for (uint64_t seed = 0; seed < seeds; seed++) {
                struct arena arena = scene(ranks[i], (int)(seed % 5 * 7) * ranks[i], seed % SPREADS,
                                           seed);

                arena.shape.arity = arities[j];
                arena.donation = seed / 3 % 2 ? STEAL_DONATION_LONGEST : STEAL_DONATION_SHORTEST;
                run(&arena);
                free(arena.task);
            }
}

START_TEST(a_second_time_finds_little_to_do)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct arena arena = scene(16, 16 * 200, SKEWED, seed);

        run(&arena);
        const int64_t first = arena.moved;
        run(&arena);
        ck_assert_int_le(arena.moved, first / 10);
        free(arena.task);
    }
}

/* If no task that is given away is longer than the difference between C times the average and the
 * average, the bound is C times the average. */
static int64_t bound_ns(const struct arena *arena)
{
    const int64_t average_ns = arena->decision.load_ns / arena->shape.ranks;
    const int64_t keep_ns = (int64_t)(arena->options.donate_above *
                                      (double)arena->decision.load_ns / arena->shape.ranks);

    return max_i64(keep_ns, average_ns + 1 + arena->longest_ns);
}

START_TEST(centralized_comes_within_c_of_the_average)
{
    int reached = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        const int ranks = 2 + (int)(seed % 15);
        struct arena arena = scene(ranks, 1500 * ranks, SKEWED, seed);

        arena.shape.arity = ranks;
        run(&arena);
        ck_assert_int_le(arena.decision.after_ns, bound_ns(&arena));
        reached += imbalance(&arena) <= ABOVE + 1e-9;
        free(arena.task);
    }
    ck_assert_int_ge(reached, 50);
}

/* Returns the least possible greatest load, over all placements. */
static int64_t best_ns(const struct arena *arena, int64_t *load_ns, int next)
{
    int64_t best = INT64_MAX;

    if (next == arena->tasks) {
        best = 0;
        for (int rank = 0; rank < arena->shape.ranks; rank++)
            best = max_i64(best, load_ns[rank]);
        return best;
    }
    for (int rank = 0; rank < arena->shape.ranks; rank++) {
        load_ns[rank] += arena->task[next].load_ns;
        best = min_i64(best, best_ns(arena, load_ns, next + 1));
        load_ns[rank] -= arena->task[next].load_ns;
    }
    return best;
}

/* A list scheduler takes at most twice the best time, because neither the average nor the longest
 * task is greater than the best. Small cases also show how far it usually is from the best. */
START_TEST(centralized_is_near_the_best_of_all_placements)
{
    double worst = 1, sum = 0;
    const int cases = stress() ? 3000 : 300;

    for (uint64_t seed = 0; seed < (uint64_t)cases; seed++) {
        int64_t load_ns[3] = {0};
        struct arena arena = scene(2 + (int)(seed % 2), 8, seed % SPREADS, seed);

        arena.shape.arity = arena.shape.ranks;
        run(&arena);
        const double off = (double)arena.decision.after_ns / (double)best_ns(&arena, load_ns, 0);
        REQUIRE(off >= 1 - 1e-12 && off <= 2, "seed %lu: %g of the best", (unsigned long)seed, off);
        worst = fmax(worst, off);
        sum += off;
        free(arena.task);
    }
    ck_assert_msg(sum / cases < 1.2, "%g of the best on average, %g at worst", sum / cases, worst);
}

START_TEST(hierarchical_follows_the_average_down_the_tree)
{
    double sum = 0;

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct arena arena = scene(81, 81 * 100, SKEWED, seed);

        run(&arena);
        sum += imbalance(&arena);
        free(arena.task);
    }
    ck_assert_msg(sum / 20 < 1.03, "imbalance %g on average", sum / 20);
}

START_TEST(longest_first_moves_fewer_tasks)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct arena shortest = scene(9, 900, SKEWED, seed), longest = scene(9, 900, SKEWED, seed);

        longest.donation = STEAL_DONATION_LONGEST;
        run(&shortest);
        run(&longest);
        ck_assert_int_lt(longest.moved, shortest.moved);
        ck_assert(imbalance(&longest) < 1.1);
        free(shortest.task);
        free(longest.task);
    }
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* Consecutive ranks are on different nodes. Within a node all ranks are balanced but for the first
 * two. */
START_TEST(what_a_node_can_mend_stays_on_it)
{
    enum { NODES = 5, PER_NODE = 4, RANKS = NODES * PER_NODE };
    int32_t rank_at[RANKS], node_start[NODES + 1];

    for (int position = 0; position < RANKS; position++)
        rank_at[position] = position / PER_NODE + position % PER_NODE * NODES;
    for (int node = 0; node <= NODES; node++)
        node_start[node] = node * PER_NODE;
    for (int arity = 2; arity < RANKS + 1; arity += 3) {
        struct arena arena = scene(RANKS, RANKS * 64, EVEN, (uint64_t)arity);

        arena.shape = (struct shape){RANKS, arity, rank_at, node_start, NODES};
        for (int i = 0; i < arena.tasks; i++) {
            int rank = i % RANKS;

            arena.task[i].load_ns = 1000;
            if (rank < NODES && i / RANKS < 32)
                rank += NODES;
            arena.task[i].rank = rank;
        }
        run(&arena);
        ck_assert_int_eq(arena.decision.after_ns, 64 * 1000);
        for (int i = 0; i < arena.tasks; i++)
            ck_assert_int_eq(arena.task[i].rank % NODES, i % RANKS % NODES);
        free(arena.task);
    }
}

START_TEST(nodes_of_any_size_lose_no_task)
{
    static const int32_t node_start[] = {0, 1, 2, 9, 10, 23};

    for (uint64_t seed = 0; seed < 40; seed++) {
        struct arena arena = scene(23, 23 * 20, seed % SPREADS, seed);

        arena.shape.arity = 2 + (int)(seed % 6);
        arena.shape.node_start = node_start;
        arena.shape.nodes = (int)ARRAY_COUNT(node_start) - 1;
        run(&arena);
        free(arena.task);
    }
}

/* ---- unmeasured tasks, zeros, failures ----------------------------------------------------- */

START_TEST(tasks_that_never_ran_are_held_to_be_average)
{
    struct arena arena = scene(4, 400, ONE_RANK, 1);

    arena.options.fill_below = 1;
    for (int i = 0; i < arena.tasks; i++)
        arena.task[i].unmeasured = true;
    ck_assert_ptr_null(arena_run(&arena));
    ck_assert_int_eq(arena_greatest(&arena, 1), 100);
    for (int i = 0; i < arena.tasks; i++) {
        arena.task[i].rank = 0;
        arena.task[i].load_ns = 500;
        arena.task[i].unmeasured = i % 2;
    }
    ck_assert_ptr_null(arena_run(&arena));
    ck_assert_int_eq(arena_greatest(&arena, 500), 50000);
    free(arena.task);
}

/* The case that docs/balancing.svg shows. */
START_TEST(the_picture_tells_what_happens)
{
    static const struct {
        int rank, load;
    } tasks[] = {{0, 3}, {0, 2}, {0, 2}, {0, 1}, {1, 1}, {2, 3}, {2, 3},
                 {2, 2}, {2, 2}, {3, 3}, {3, 2}, {4, 3}, {5, 2}, {5, 1}};
    static const int64_t hierarchical[] = {5, 4, 6, 5, 5, 5}, central[] = {5, 5, 5, 5, 5, 5};

    for (int arity = 3; arity <= 6; arity += 3) {
        struct arena arena = scene(6, (int)ARRAY_COUNT(tasks), EVEN, 1);
        int64_t load[6] = {0};

        for (int i = 0; i < arena.tasks; i++) {
            arena.task[i].rank = tasks[i].rank;
            arena.task[i].load_ns = tasks[i].load;
        }
        arena.shape.arity = arity;
        arena.options = (struct balancer_options){.donate_above = 1, .fill_below = 1};
        run(&arena);
        for (int i = 0; i < arena.tasks; i++)
            load[arena.task[i].rank] += arena.task[i].load_ns;
        ck_assert_mem_eq(load, arity == 3 ? hierarchical : central, sizeof(load));
        free(arena.task);
    }
}

START_TEST(a_rank_alone_keeps_what_it_has)
{
    struct arena arena = scene(1, 10, ONE_RANK, 1);

    arena.task[3].unmeasured = true;
    ck_assert_ptr_null(arena_run(&arena));
    ck_assert_int_eq(arena.messages, 0);
    ck_assert(!arena.decision.go);
    free(arena.task);
}

START_TEST(tasks_without_duration_stay_where_they_are)
{
    struct arena arena = scene(3, 300, ONE_RANK, 1);

    for (int i = 0; i < arena.tasks; i++)
        arena.task[i].load_ns = i < 200 ? 0 : 1000;
    run(&arena);
    for (int i = 0; i < 200; i++)
        ck_assert_int_eq(arena.task[i].rank, 1);
    ck_assert_int_eq(arena.decision.after_ns, 34000);
    free(arena.task);
}

static void expect_nothing_moved(struct arena *arena)
{
    const int64_t before_ns = arena_greatest(arena, 0);

    ck_assert_ptr_null(arena_run(arena));
    ck_assert_int_eq(arena->moved, 0);
    ck_assert_int_eq(arena_greatest(arena, 0), before_ns);
}

START_TEST(what_one_rank_has_no_room_for_is_not_done_at_all)
{
    for (int arity = 2; arity < 12; arity += 2) {
        struct arena arena = scene(10, 1000, SKEWED, (uint64_t)arity);

        arena.shape.arity = arity;
        arena.full = 9;
        expect_nothing_moved(&arena);
        ck_assert_int_eq(arena.decision.failures, 1);
        free(arena.task);
    }
}

START_TEST(tokens_that_no_memory_is_left_for_move_no_task)
{
    int failed = 0;

    for (int rank = 0; rank < 10; rank++)
        for (int arity = 2; arity < 12; arity += 2) {
            struct arena arena = scene(10, 1000, SKEWED, (uint64_t)rank);

            arena.shape.arity = arity;
            arena.starved = rank;
            ck_assert_ptr_null(arena_run(&arena));
            ck_assert((arena.decision.failures > 0) == (arena.moved == 0));
            failed += arena.decision.failures > 0;
            free(arena.task);
        }
    ck_assert_int_ge(failed, 25);
}

START_TEST(a_gain_too_small_is_left_alone)
{
    struct arena arena = scene(8, 800, SKEWED, 3);

    arena.options.gain_min_ns = arena_greatest(&arena, 0);
    expect_nothing_moved(&arena);
    ck_assert_int_eq(arena.decision.failures, 0);
    ck_assert_int_gt(arena.decision.before_ns, arena.decision.load_ns / 8);
    arena.options.gain_min_ns = 1;
    run(&arena);
    ck_assert_int_gt(arena.moved, 0);
    free(arena.task);
}

/* The load of tasks that never ran is estimated before anything moves. */
START_TEST(a_gain_too_small_is_left_alone_with_tasks_that_never_ran_too)
{
    struct arena arena = scene(8, 800, ONE_RANK, 3);
    int64_t measured_ns = 0;

    for (int i = 0; i < arena.tasks; i++) {
        arena.task[i].unmeasured = i % 2;
        measured_ns += i % 2 ? 0 : arena.task[i].load_ns;
    }
    arena.options.gain_min_ns = 2 * measured_ns;
    expect_nothing_moved(&arena);
    ck_assert_int_eq(arena.decision.failures, 0);
    arena.options.gain_min_ns = measured_ns;
    ck_assert_ptr_null(arena_run(&arena));
    ck_assert_int_gt(arena.moved, 0);
    free(arena.task);
    /* If no task was measured, their number is balanced, which is no time. */
    arena = scene(8, 800, ONE_RANK, 3);
    for (int i = 0; i < arena.tasks; i++)
        arena.task[i].unmeasured = true;
    arena.options.gain_min_ns = NSEC_PER_SEC;
    ck_assert_ptr_null(arena_run(&arena));
    ck_assert_int_gt(arena.moved, 0);
    free(arena.task);
}

START_TEST(thousands_of_ranks)
{
    const uint64_t seeds = stress() ? 200 : 1;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct arena arena = scene(2000, 20000, seed % SPREADS, seed);

        if (seed % 2)
            arena.shape.arity = 2000;
        run(&arena);
        free(arena.task);
    }
}

SUITE("balancer")
