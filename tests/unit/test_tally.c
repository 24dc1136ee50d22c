/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of the times that looks at threads find. */
#include "tests/lib/chance.h"

#include "libjuggle/job/tally.h"

#define MS NSEC_PER_MSEC

static struct tally *tally;
static struct thread_info info;

static void begin(void)
{
    tally_destroy(tally);
    ck_assert_int_eq(tally_create(2, &tally), 0);
    info = (struct thread_info){
        .id = {.pid = 10, .tid = 11, .start_ticks = 5}, .run_ns = 700 * MS, .wait_ns = 300 * MS};
    tally_see(tally, 1, &info, false, NULL, 1000 * MS);
}

static void expect(const struct tally_times *times, int64_t life, int64_t run, int64_t wait,
                   int64_t stopped)
{
    ck_assert_int_eq(times->life_ns, life * MS);
    ck_assert_int_eq(times->run_ns, run * MS);
    ck_assert_int_eq(times->wait_ns, wait * MS);
    ck_assert_int_eq(times->stopped_ns, stopped * MS);
}

START_TEST(what_was_before_the_first_look_does_not_count)
{
    begin();
    expect(&tally_times(tally)->all, 0, 0, 0, 0);
    info.run_ns += 60 * MS;
    info.wait_ns += 30 * MS;
    tally_see(tally, 1, &info, false, NULL, 1100 * MS);
    expect(&tally_times(tally)->all, 100, 60, 30, 0);
    expect(&tally_times(tally)->workers, 100, 60, 30, 0);
    /* Another thread has the index now. */
    info.id.tid = 12;
    tally_see(tally, 1, &info, false, NULL, 1200 * MS);
    expect(&tally_times(tally)->all, 100, 60, 30, 0);
}

START_TEST(helpers_are_no_workers_unless_balanced)
{
    begin();
    info.run_ns += 10 * MS;
    tally_see(tally, 1, &info, false, NULL, 1100 * MS);
    expect(&tally_times(tally)->workers, 0, 0, 0, 0);
    tally_see(tally, 1, &info, true, NULL, 1200 * MS);
    expect(&tally_times(tally)->workers, 100, 0, 0, 0);
    expect(&tally_times(tally)->all, 200, 10, 0, 0);
}

START_TEST(stopped_at_two_looks_is_stopped_between_them)
{
    begin();
    info.stopped = true;
    tally_see(tally, 1, &info, true, NULL, 1100 * MS);
    tally_see(tally, 1, &info, true, NULL, 1300 * MS);
    info.stopped = false;
    tally_see(tally, 1, &info, true, NULL, 1400 * MS);
    expect(&tally_times(tally)->workers, 400, 0, 0, 200);
}

START_TEST(only_who_ran_while_bound_tells_of_pins)
{
    struct cpu_mask pin;

    begin();
    cpu_mask_clear(&pin);
    cpu_mask_add(&pin, 3);
    ck_assert(!tally_ran(tally, 1, &info));
    tally_see(tally, 1, &info, false, &pin, 1100 * MS);
    ck_assert_int_eq(cpu_mask_count(&tally_times(tally)->pinned_cpus), 0);
    info.wait_ns += 50 * MS;
    ck_assert(tally_ran(tally, 1, &info));
    tally_see(tally, 1, &info, false, &pin, 1200 * MS);
    ck_assert(cpu_mask_has(&tally_times(tally)->pinned_cpus, 3));
    expect(&tally_times(tally)->pinned, 100, 0, 50, 0);
}

/* The kernel adds a wait to its counter when the wait ends. */
START_TEST(nobody_waits_longer_than_there_was_time)
{
    begin();
    info.run_ns += 40 * MS;
    info.wait_ns += 900 * MS;
    tally_see(tally, 1, &info, false, NULL, 1100 * MS);
    expect(&tally_times(tally)->all, 100, 40, 60, 0);
}

/* ---- random looks ---- */

static void add_up(const struct tally_times *times)
{
    ALWAYS(times->run_ns >= 0 && times->wait_ns >= 0 && times->stopped_ns >= 0);
    ALWAYS(times->run_ns + times->wait_ns + times->stopped_ns <= times->life_ns);
}

static bool are_part(const struct tally_times *part, const struct tally_times *all)
{
    return part->life_ns <= all->life_ns && part->run_ns <= all->run_ns &&
           part->wait_ns <= all->wait_ns && part->stopped_ns <= all->stopped_ns;
}

/* Counters that lag, or start again with another program; several looks at the same time. */
static void see_anything(void)
{
    const struct program_times *times;
    struct cpu_mask pin = {0};
    int64_t now_ns = MS, began_ns = now_ns;

    begin();
    tally_destroy(tally);
    ck_assert_int_eq(tally_create(2, &tally), 0);
    times = tally_times(tally);
    cpu_mask_add(&pin, 3);
    for (int i = 0; i < 100; i++) {
        now_ns += below(3) * below(100 * MS);
        info.run_ns = one_in(20) ? 0 : info.run_ns + below(3) * below(100 * MS);
        info.wait_ns += below(3) * below(100 * MS);
        info.stopped = one_in(3);
        info.id.tid += one_in(20);
        tally_see(tally, 1, &info, one_in(2), one_in(4) ? &pin : NULL, now_ns);
        add_up(&times->all);
        add_up(&times->workers);
        add_up(&times->pinned);
        ALWAYS(are_part(&times->workers, &times->all) && are_part(&times->pinned, &times->all));
        ALWAYS(times->all.life_ns <= now_ns - began_ns);
        ALWAYS(cpu_mask_subset(&times->pinned_cpus, &pin));
    }
}

START_TEST(what_a_thread_did_is_no_more_than_its_life)
{
    live_with_seeds(3000, see_anything);
}

SUITE("tally")
