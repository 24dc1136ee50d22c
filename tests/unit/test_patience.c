/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that consists of parallel regions, whose threads are made to sleep in their waits or
 * not. */
#include "libjuggle/waiting/patience.h"
#include "tests/lib/chance.h"

enum { PROCESSORS = 2, THREADS = 3 };

#define BUSY ((double)PROCESSORS)

struct program {
    struct patience patience;
    int64_t now_ns, cpu_ns;
    int64_t changed_ns; /* when threads last began to sleep, or to spin again */
    int changes_count;
};

static void setup(struct program *program)
{
    *program = (struct program){.now_ns = NSEC_PER_SEC};
    patience_begin(&program->patience, PROCESSORS, program->now_ns, 0);
}

/* Regions of this length follow each other, in which this many processors are used. */
static void live(struct program *program, int64_t for_ns, int64_t region_ns, double used)
{
    const int64_t until_ns = program->now_ns + for_ns;

    while (program->now_ns < until_ns) {
        const bool slept = patience_sleeps(&program->patience);
        program->now_ns += region_ns;
        program->cpu_ns += (int64_t)(used * (double)region_ns);
        if (patience_region(&program->patience, THREADS, program->now_ns))
            patience_step(&program->patience, program->now_ns, program->cpu_ns);
        if (patience_sleeps(&program->patience) != slept) {
            program->changed_ns = program->now_ns;
            program->changes_count++;
        }
    }
}

/* Lives until the threads begin or stop to sleep, for 20 s at most; returns how long. */
static int64_t live_on(struct program *program, int64_t region_ns, double used)
{
    const int64_t from_ns = program->now_ns;
    const int before_count = program->changes_count;

    while (program->changes_count == before_count && program->now_ns < from_ns + 20 * NSEC_PER_SEC)
        live(program, 1, region_ns, used);
    return program->now_ns - from_ns;
}

#define AWAKE_NS  (2 * NSEC_PER_MSEC)
#define ASLEEP_NS (100 * NSEC_PER_USEC)
#define WINDOW_NS (50 * NSEC_PER_MSEC) /* a little longer than the window of a trial */

START_TEST(nobody_sleeps_where_all_processors_are_used)
{
    struct program program;

    setup(&program);
    live(&program, 10 * NSEC_PER_SEC, AWAKE_NS, BUSY);
    ck_assert_int_eq(program.changes_count, 0);
    /* A daemon takes a fifth of a processor now and then. */
    live(&program, 10 * NSEC_PER_SEC, AWAKE_NS, BUSY - 0.2);
    ck_assert_int_eq(program.changes_count, 0);
}

START_TEST(beside_others_threads_sleep_if_more_regions_begin)
{
    struct program program;

    setup(&program);
    ck_assert_int_le(live_on(&program, AWAKE_NS, 0.6 * BUSY), WINDOW_NS);
    ck_assert(patience_sleeps(&program.patience));
    /* A trial, and then a longer time. */
    ck_assert_int_gt(live_on(&program, ASLEEP_NS, 0.2 * BUSY), 8 * WINDOW_NS);
    ck_assert(!patience_sleeps(&program.patience));
    /* The time asleep grows from one time to the next. */
    int64_t slept_ns = 0, before_ns = 0;
    for (int i = 0; i < 4; i++) {
        ck_assert_int_le(live_on(&program, AWAKE_NS, 0.6 * BUSY), WINDOW_NS);
        before_ns = slept_ns;
        slept_ns = live_on(&program, ASLEEP_NS, 0.2 * BUSY);
        ck_assert_int_ge(slept_ns, before_ns);
    }
    ck_assert_int_gt(slept_ns, NSEC_PER_SEC);
    ck_assert_int_lt(slept_ns, 2 * NSEC_PER_SEC);
}

START_TEST(when_the_others_are_gone_threads_look_on_again)
{
    struct program program;

    setup(&program);
    live_on(&program, AWAKE_NS, 0.6 * BUSY);
    live_on(&program, ASLEEP_NS, 0.2 * BUSY);
    live(&program, 10 * NSEC_PER_SEC, ASLEEP_NS / 5, BUSY);
    ck_assert_int_eq(program.changes_count, 2);
}

/* A trial of 40 ms that gains nothing is followed by longer and longer times without a trial. */
START_TEST(who_does_no_more_asleep_is_let_be)
{
    struct program program;
    int64_t rest_ns = 0, before_ns;

    setup(&program);
    for (int i = 0; i < 5; i++) {
        before_ns = rest_ns;
        rest_ns = live_on(&program, AWAKE_NS, 0.6 * BUSY);
        ck_assert(patience_sleeps(&program.patience));
        ck_assert_int_gt(rest_ns, before_ns);
        ck_assert_int_le(live_on(&program, AWAKE_NS * 8 / 10, 0.3 * BUSY), WINDOW_NS);
        ck_assert(!patience_sleeps(&program.patience));
    }
    ck_assert_int_gt(rest_ns, 5 * NSEC_PER_SEC);
    ck_assert_int_lt(rest_ns, 7 * NSEC_PER_SEC);
}

START_TEST(what_was_in_vain_is_tried_again_at_once_where_less_is_done)
{
    struct program program;

    setup(&program);
    for (int i = 0; i < 4; i++) {
        live_on(&program, AWAKE_NS, 0.6 * BUSY);
        live_on(&program, AWAKE_NS, 0.3 * BUSY);
    }
    live(&program, NSEC_PER_SEC, AWAKE_NS, 0.6 * BUSY);
    ck_assert(!patience_sleeps(&program.patience));
    ck_assert_int_le(live_on(&program, 3 * AWAKE_NS, 0.6 * BUSY), 3 * WINDOW_NS);
    ck_assert(patience_sleeps(&program.patience));
    /* No trial is made when no other program takes processors. */
    setup(&program);
    live_on(&program, AWAKE_NS, 0.6 * BUSY);
    live_on(&program, AWAKE_NS, 0.3 * BUSY);
    ck_assert_int_eq(program.changes_count, 2);
    live(&program, 10 * NSEC_PER_SEC, 5 * AWAKE_NS, BUSY);
    ck_assert_int_eq(program.changes_count, 2);
}

/* An OpenMP library may not report the size of its teams. */
START_TEST(teams_of_no_threads_are_of_one)
{
    struct patience patience;

    patience_begin(&patience, PROCESSORS, 0, 0);
    ck_assert(patience_region(&patience, 0, NSEC_PER_SEC));
    patience_step(&patience, NSEC_PER_SEC, NSEC_PER_SEC);
    ck_assert(!patience_sleeps(&patience));
    ck_assert(patience_region(&patience, 0, 2 * NSEC_PER_SEC));
    patience_step(&patience, 2 * NSEC_PER_SEC, NSEC_PER_SEC);
    ck_assert(patience_sleeps(&patience));
}

static bool regions_are_short(int64_t short_ns, int count, int64_t long_ns, double used)
{
    struct program program;

    setup(&program);
    for (int i = 0; i < 20; i++) {
        live(&program, count * short_ns, short_ns, used);
        live(&program, long_ns, long_ns, used);
    }
    return patience_regions_are_short(&program.patience);
}

START_TEST(regions_are_short_where_most_time_is_of_such)
{
    ck_assert(regions_are_short(50 * NSEC_PER_USEC, 100, 1, BUSY));
    ck_assert(!regions_are_short(2 * NSEC_PER_MSEC, 10, 1, BUSY));
    /* Regions count by their work, if each waits for time slices of other programs. */
    ck_assert(regions_are_short(3 * NSEC_PER_MSEC, 10, 1, 0.1 * BUSY));
    ck_assert(!regions_are_short(3 * NSEC_PER_MSEC, 10, 1, 0.6 * BUSY));
    ck_assert(regions_are_short(12 * NSEC_PER_MSEC, 10, 1, 0.05 * BUSY));
    ck_assert(!regions_are_short(12 * NSEC_PER_MSEC, 10, 1, 0.2 * BUSY));
    /* One long region among many short ones counts as long, though the mean is short. */
    ck_assert(!regions_are_short(50 * NSEC_PER_USEC, 100, 45 * NSEC_PER_MSEC, BUSY));
    ck_assert(!regions_are_short(50 * NSEC_PER_USEC, 100, 45 * NSEC_PER_MSEC, 0.3 * BUSY));
}

/* ---- random events ---- */

/* Random lengths of regions, random teams, and a random part of the processors for the process.
 * Returns the part of the time that threads slept. */
static double live_randomly(struct program *program, int64_t for_ns, double gain, double used_least)
{
    const int64_t began_ns = program->now_ns;
    int64_t slept_ns = 0, asleep_ns = 0;

    while (program->now_ns < began_ns + for_ns) {
        const bool sleeps = patience_sleeps(&program->patience);
        const double longer = sleeps ? 1 : gain;
        const int64_t region_ns = (int64_t)(longer * (double)between(900, 1100) * 1000);
        const double used = used_least + (BUSY - used_least) * (double)below(100) / 100;
        live(program, 1, region_ns, used);
        slept_ns += sleeps ? region_ns : 0;
        asleep_ns = patience_sleeps(&program->patience) ? asleep_ns + region_ns : 0;
        ALWAYS(asleep_ns <= 2 * NSEC_PER_SEC);
    }
    return (double)slept_ns / (double)for_ns;
}

static void live_beside_others(void)
{
    struct program program;

    setup(&program);
    /* Sleeping gains nothing. */
    ALWAYS(live_randomly(&program, 10 * NSEC_PER_SEC, 1, 0) < 0.05);
    /* Sleeping gains much. */
    ALWAYS(live_randomly(&program, 20 * NSEC_PER_SEC, 2, 0) > 0.5);
    /* No other program runs. */
    live_randomly(&program, 2 * NSEC_PER_SEC, 1, BUSY - 0.2);
    ALWAYS(live_randomly(&program, 10 * NSEC_PER_SEC, 1, BUSY - 0.2) == 0);
}

START_TEST(threads_sleep_where_it_brings_something_and_seldom_elsewhere)
{
    live_with_seeds(20, live_beside_others);
}

/* Clocks that jump, and counters that stand still. */
static void see_anything(void)
{
    int64_t now_ns = below(NSEC_PER_SEC), cpu_ns = 0;
    struct patience patience;

    patience_begin(&patience, (int)below(4), now_ns, cpu_ns);
    for (int i = 0; i < 300; i++) {
        const int64_t before_ns = now_ns;
        now_ns += one_in(50) ? below(1000 * NSEC_PER_SEC) : below(60 * NSEC_PER_MSEC);
        cpu_ns += below(3) * (now_ns - before_ns) * below(100) / 50;
        if (!patience_region(&patience, (int)below(6), now_ns))
            continue;
        patience_step(&patience, now_ns, cpu_ns);
        ALWAYS(patience.until_ns <= now_ns + 7 * NSEC_PER_SEC);
        ALWAYS(patience.rest_ns >= 100 * NSEC_PER_MSEC);
        ALWAYS(patience.sleep_ns >= 400 * NSEC_PER_MSEC);
        ALWAYS(!patience_region(&patience, 1, now_ns));
    }
}

START_TEST(whatever_it_sees_it_is_awake_again_soon)
{
    live_with_seeds(2000, see_anything);
}

SUITE("patience")
