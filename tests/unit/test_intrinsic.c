/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/job/intrinsic.h"

#include "libjuggle/waiting/page.h"

#include <errno.h>

enum { SLOTS = 4 };

/* A world of threads whose tid is 100 + slot and whose totals the test sets. */
static struct world {
    int64_t now_ns;
    int64_t run_ns[SLOTS], wait_ns[SLOTS];
} world;

static struct intrinsic *intrinsic;
static struct page *page;
static struct ports ports;

static int world_sample(void *context, int slot, struct sample *sample)
{
    const struct world *sampled = context;

    sample->now_ns = sampled->now_ns;
    sample->run_ns = sampled->run_ns[slot];
    sample->wait_ns = sampled->wait_ns[slot];
    return sample->run_ns < 0 ? -ESRCH : 0;
}

static int world_id(void *context, int slot, struct thread_id *id)
{
    (void)context;
    *id = (struct thread_id){.pid = 100, .tid = 100 + slot};
    return 0;
}

static void setup(void)
{
    const struct intrinsic_threads threads = {world_id, NULL};

    ports = (struct ports){.world = &world, .sample = world_sample};
    ck_assert_int_eq(page_create(2, &page), 0);
    ck_assert_int_eq(intrinsic_create(SLOTS, &threads, page, &intrinsic), 0);
    intrinsic_wrap(intrinsic, &ports);
}

static void teardown(void)
{
    intrinsic_destroy(intrinsic);
    page_destroy(page);
}

static struct seat *seat_for(int slot)
{
    struct seat *seat;

    ck_assert_int_eq(page_seat(page, 100 + slot, &seat), 0);
    return seat;
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
    ck_assert_int_eq(look(1).work_ns, 0);
    world.run_ns[1] = -1;
    struct sample sample;
    ck_assert_int_eq(ports.sample(ports.world, 1, &sample), -ESRCH);
    teardown();
}

START_TEST(units_are_work_beside_run_time)
{
    setup();
    struct seat *fast = seat_for(0);
    struct seat *slow = seat_for(1);
    look(0);
    look(1);
    /* Both run for the same time, and one does three times as much work. */
    for (int period = 1; period <= 100; period++) {
        world.run_ns[0] = world.run_ns[1] = 1000 * period;
        seat_add(fast, 3);
        seat_add(slow, 1);
        look(0);
        look(1);
    }
    const struct sample ahead = look(0), behind = look(1);
    ck_assert_double_eq_tol((double)ahead.work_ns / (double)behind.work_ns, 3, 0.1);
    /* On average a unit counts as the time that it has cost, from the first report on. */
    ck_assert_double_eq_tol((double)(ahead.work_ns + behind.work_ns), 198000, 4000);
    ck_assert_int_eq(behind.run_ns, 100000);
    teardown();
}

START_TEST(work_never_falls)
{
    int64_t last_ns = 0;

    setup();
    struct seat *counter = seat_for(2);
    for (int period = 0; period < 1000; period++) {
        world.run_ns[2] += 777 * (period % 3);
        if (period % 7 == 0)
            seat_add(counter, period % 5);
        const struct sample sample = look(2);
        ck_assert_int_ge(sample.work_ns, last_ns);
        last_ns = sample.work_ns;
    }
    teardown();
}

START_TEST(one_that_reports_no_more_says_nothing)
{
    setup();
    struct seat *counter = seat_for(3);
    look(3);
    world.run_ns[3] = 1000;
    seat_add(counter, 5);
    const int64_t begun_ns = look(3).work_ns;
    ck_assert_int_gt(begun_ns, 0);
    world.run_ns[3] = 1500;
    seat_add(counter, 5);
    ck_assert_int_gt(look(3).work_ns, begun_ns);
    seat_disclaim(counter);
    ck_assert_int_eq(look(3).work_ns, 0);
    ck_assert_int_eq(look(3).run_ns, 1500);
    teardown();
}

START_TEST(who_waits_says_so)
{
    setup();
    struct seat *seat = seat_for(1);
    world.now_ns = 1000;
    ck_assert_int_ne(look(1).state, SAMPLE_WAITING);
    seat_wait_begin(seat, 1200);
    world.now_ns = 1500;
    ck_assert_int_eq(look(1).state, SAMPLE_WAITING);
    ck_assert_int_eq(look(1).told_wait_ns, 300);
    seat_wait_end(seat, 1600);
    world.now_ns = 2000;
    ck_assert_int_ne(look(1).state, SAMPLE_WAITING);
    ck_assert_int_eq(look(1).told_wait_ns, 400);
    ck_assert_int_eq(look(0).told_wait_ns, 0);
    teardown();
}

START_TEST(nobody_waits_longer_than_time_goes_by)
{
    setup();
    struct seat *seat = seat_for(1);
    world.now_ns = 5000;
    look(1);
    seat_wait_begin(seat, -90000000);
    world.now_ns = 5100;
    ck_assert_int_le(look(1).told_wait_ns, 100);
    seat_wait_end(seat, -900000000);
    world.now_ns = 5200;
    ck_assert_int_ge(look(1).told_wait_ns, 0);
    teardown();
}

START_TEST(absurd_units_do_no_harm)
{
    setup();
    struct seat *seat = seat_for(1);
    seat_add(seat, 1);
    look(1);
    int64_t before_ns = 0;
    for (int round = 0; round < 100; round++) {
        seat_add(seat, round % 2 ? INT64_MAX : INT64_MIN);
        world.run_ns[1] += 1000;
        const int64_t work_ns = look(1).work_ns;
        ck_assert_int_ge(work_ns, before_ns);
        before_ns = work_ns;
    }
    teardown();
}

START_TEST(after_absurd_units_work_still_counts)
{
    setup();
    struct seat *seat = seat_for(1);
    seat_add(seat, -2);
    look(1);
    /* The count goes from -2 to the greatest number, a difference that overflows. */
    seat_add(seat, INT64_MAX);
    seat_add(seat, 2);
    look(1);
    seat_add(seat, -100);
    const int64_t before_ns = look(1).work_ns;
    seat_add(seat, 5);
    world.run_ns[1] += 1000;
    ck_assert_int_gt(look(1).work_ns, before_ns);
    teardown();
}

SUITE("intrinsic")
