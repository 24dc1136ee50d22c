/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/job/intrinsic.h"

#include <errno.h>

enum { SLOTS = 4 };

/* A world of threads whose tid is 100 + slot and whose totals the test sets. */
static struct world {
    int64_t run_ns[SLOTS], wait_ns[SLOTS];
} world;

static struct intrinsic *intrinsic;
static struct ports ports;

static int world_sample(void *context, int slot, struct sample *sample)
{
    const struct world *sampled = context;

    sample->run_ns = sampled->run_ns[slot];
    sample->wait_ns = sampled->wait_ns[slot];
    return sample->run_ns < 0 ? -ESRCH : 0;
}

static pid_t world_tid(void *context, int slot)
{
    (void)context;
    return 100 + slot;
}

static void setup(void)
{
    const struct intrinsic_threads threads = {world_tid, NULL};

    ports = (struct ports){.world = &world, .sample = world_sample};
    ck_assert_int_eq(intrinsic_create(SLOTS, &threads, &intrinsic), 0);
    intrinsic_wrap(intrinsic, &ports);
}

static struct sample look(int slot)
{
    struct sample sample = {0};

    ck_assert_int_eq(ports.sample(ports.world, slot, &sample), 0);
    return sample;
}

START_TEST(without_reports_samples_pass_as_they_are)
{
    setup();
    world.run_ns[1] = 500;
    world.wait_ns[1] = 70;
    ck_assert_int_eq(look(1).run_ns, 500);
    ck_assert_int_eq(look(1).wait_ns, 70);
    world.run_ns[1] = -1;
    struct sample sample;
    ck_assert_int_eq(ports.sample(ports.world, 1, &sample), -ESRCH);
    intrinsic_destroy(intrinsic);
}
END_TEST

START_TEST(units_take_the_place_of_run_time)
{
    int fast, slow;

    setup();
    ck_assert_int_eq(intrinsic_open(intrinsic, 100, &fast), 0);
    ck_assert_int_eq(intrinsic_open(intrinsic, 101, &slow), 0);
    look(0);
    look(1);
    /* Both run equally long, and one does three times as much. */
    for (int period = 1; period <= 100; period++) {
        world.run_ns[0] = world.run_ns[1] = 1000 * period;
        intrinsic_add(intrinsic, fast, 3);
        intrinsic_add(intrinsic, slow, 1);
        look(0);
        look(1);
    }
    const struct sample ahead = look(0), behind = look(1);
    ck_assert_double_eq_tol((double)ahead.run_ns / (double)behind.run_ns, 3, 0.1);
    /* In the mean a unit counts as what it has cost. */
    ck_assert_double_eq_tol((double)(ahead.run_ns + behind.run_ns), 200000, 4000);
    /* One that ran without progress was not blocked. */
    ck_assert_int_eq(behind.run_ns + behind.wait_ns, 100000);
    intrinsic_destroy(intrinsic);
}
END_TEST

START_TEST(progress_never_falls)
{
    int counter;
    int64_t last_ns = 0;

    setup();
    ck_assert_int_eq(intrinsic_open(intrinsic, 102, &counter), 0);
    for (int period = 0; period < 1000; period++) {
        world.run_ns[2] += 777 * (period % 3);
        if (period % 7 == 0)
            intrinsic_add(intrinsic, counter, period % 5);
        const struct sample sample = look(2);
        ck_assert_int_ge(sample.run_ns, last_ns);
        last_ns = sample.run_ns;
    }
    intrinsic_destroy(intrinsic);
}
END_TEST

START_TEST(one_that_reports_no_more_goes_on_by_its_cpu_time)
{
    int counter;

    setup();
    ck_assert_int_eq(intrinsic_open(intrinsic, 103, &counter), 0);
    look(3);
    world.run_ns[3] = 1000;
    intrinsic_add(intrinsic, counter, 5);
    ck_assert_int_eq(look(3).run_ns, 1000);
    world.run_ns[3] = 1500;
    ck_assert_int_eq(look(3).run_ns, 1000);
    intrinsic_close(intrinsic, counter);
    world.run_ns[3] = 1700;
    ck_assert_int_eq(look(3).run_ns, 1200);
    intrinsic_destroy(intrinsic);
}
END_TEST

START_TEST(a_thread_has_one_counter)
{
    int counters[SLOTS], more;

    setup();
    for (int i = 0; i < SLOTS; i++)
        ck_assert_int_eq(intrinsic_open(intrinsic, 100 + i, &counters[i]), 0);
    ck_assert_int_eq(intrinsic_open(intrinsic, 100, &more), -EEXIST);
    ck_assert_int_eq(intrinsic_open(intrinsic, 200, &more), -ENOSPC);
    intrinsic_close(intrinsic, counters[2]);
    ck_assert_int_eq(intrinsic_open(intrinsic, 200, &more), 0);
    intrinsic_destroy(intrinsic);
}
END_TEST

SUITE("intrinsic", without_reports_samples_pass_as_they_are, units_take_the_place_of_run_time,
      progress_never_falls, one_that_reports_no_more_goes_on_by_its_cpu_time,
      a_thread_has_one_counter)
