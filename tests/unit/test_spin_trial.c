/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/chance.h"

#include "libjuggle/job/spin_trial.h"

#define MS        NSEC_PER_MSEC
#define SAMPLE_NS (400 * NSEC_PER_USEC)

static struct spin_trial trial;

/* Half of the samples are of threads that spin; the other half, work_count samples, is work. */
static struct spin_sight spinning(int work_count)
{
    return (struct spin_sight){
        .suspect = true,
        .oversubscribed = true,
        .threads_count = 3,
        .samples_count = 2 * work_count,
        .spinning_count = work_count,
        .work_ns = work_count * SAMPLE_NS,
        .sampled_ns = 30 * MS,
    };
}

static struct spin_sight working(int work_count)
{
    struct spin_sight sight = spinning(work_count);

    sight.spinning_count = 0;
    return sight;
}

/* When the last look began, and when the last rest after one of the other stages began. */
static int64_t looked_ns, rested_ns;

static void step(struct spin_sight sight)
{
    const enum spin_stage before = trial.stage;
    const int64_t now_ns = trial.until_ns;

    spin_trial_step(&trial, &sight, now_ns);
    if (trial.stage == SPIN_LOOKS)
        looked_ns = now_ns;
    if (trial.stage == SPIN_RESTS && before != SPIN_RESTS)
        rested_ns = now_ns;
}

static enum spin_stage after(struct spin_sight sight)
{
    step(sight);
    return trial.stage;
}

/* Without nudges 40 samples are work, with nudges 80. */
static void begin_until(enum spin_stage stage)
{
    spin_trial_begin(&trial, 0);
    for (int i = 0; trial.stage != stage; i++) {
        ck_assert_int_lt(i, 8);
        step(spinning(trial.stage == SPIN_TRIES ? 80 : 40));
    }
}

static int64_t interval_us(void)
{
    return spin_trial_interval_ns(&trial) / NSEC_PER_USEC;
}

/* From a look on: the samples of work that each interval of nudges yields, if none yields 40. */
static void try_each(int us_120, int us_500)
{
    begin_until(SPIN_LOOKS);
    step(spinning(40));
    while (trial.stage == SPIN_TRIES)
        step(spinning(interval_us() == 120 ? us_120 : us_500));
}

START_TEST(a_look_tells_who_spins_and_who_works_if_it_saw_enough)
{
    struct spin_sight sight = working(40);

    ck_assert_int_eq(spin_sight_verdict(&sight), SPINNING_NONE);
    sight.spinning_count = 2;
    ck_assert_int_eq(spin_sight_verdict(&sight), SPINNING_NONE);
    sight.waiting_count = 8;
    ck_assert_int_eq(spin_sight_verdict(&sight), SPINNING_UNKNOWN);
    sight.waiting_count = 0;
    sight.spinning_count = 8;
    ck_assert_int_eq(spin_sight_verdict(&sight), SPINNING_UNKNOWN);
    sight.spinning_count = 40;
    ck_assert_int_eq(spin_sight_verdict(&sight), SPINNING_SEEN);
    sight.suspect = false;
    ck_assert_int_eq(spin_sight_verdict(&sight), SPINNING_UNKNOWN);
    sight = working(7);
    ck_assert_int_eq(spin_sight_verdict(&sight), SPINNING_UNKNOWN);
}

START_TEST(spinners_are_seen_tried_and_served)
{
    begin_until(SPIN_RESTS);
    ck_assert(!spin_trial_samples(&trial) && !spin_trial_interval_ns(&trial));
    ck_assert_int_eq(after(spinning(40)), SPIN_LOOKS);
    ck_assert(spin_trial_samples(&trial) && !spin_trial_interval_ns(&trial));
    ck_assert_int_eq(after(spinning(40)), SPIN_TRIES);
    ck_assert(spin_trial_samples(&trial));
    ck_assert_int_eq(interval_us(), 500);
    ck_assert_int_eq(after(spinning(80)), SPIN_TRIES);
    ck_assert_int_eq(interval_us(), 120);
    ck_assert_int_eq(after(spinning(60)), SPIN_SERVES);
    ck_assert_int_eq(interval_us(), 500);
    ck_assert(!spin_trial_samples(&trial));
    ck_assert_int_eq(after(spinning(0)), SPIN_LOOKS);
}

START_TEST(the_interval_is_the_one_that_brings_most_work)
{
    try_each(60, 100);
    ck_assert_int_eq(trial.stage, SPIN_SERVES);
    ck_assert_int_eq(interval_us(), 500);
    try_each(400, 200);
    ck_assert_int_eq(trial.stage, SPIN_SERVES);
    ck_assert_int_eq(interval_us(), 120);
}

/* The cost of nudges is subtracted from the work: of intervals that yield the same, the longest
 * is taken. */
START_TEST(nudges_are_charged_what_they_cost)
{
    try_each(80, 80);
    ck_assert_int_eq(interval_us(), 500);
    try_each(110, 100);
    ck_assert_int_eq(interval_us(), 500);
    try_each(115, 100);
    ck_assert_int_eq(interval_us(), 120);
}

START_TEST(what_served_is_tried_alone_the_next_time)
{
    try_each(60, 100);
    step(spinning(0));
    ck_assert_int_eq(after(spinning(40)), SPIN_TRIES);
    ck_assert_int_eq(interval_us(), 500);
    const int64_t tried_ns = trial.until_ns;
    ck_assert_int_eq(after(spinning(100)), SPIN_SERVES);
    ck_assert_int_eq(interval_us(), 500);
    /* And serves for a longer time. */
    ck_assert_int_gt(trial.until_ns - tried_ns, 2 * NSEC_PER_SEC);
}

START_TEST(all_are_tried_again_when_what_served_brings_less)
{
    try_each(60, 100);
    step(spinning(0));
    step(spinning(40));
    ck_assert_int_eq(interval_us(), 500);
    ck_assert_int_eq(after(spinning(60)), SPIN_TRIES);
    ck_assert_int_eq(interval_us(), 500);
    step(spinning(60));
    ck_assert_int_eq(interval_us(), 120);
    ck_assert_int_eq(after(spinning(80)), SPIN_SERVES);
    ck_assert_int_eq(interval_us(), 120);
}

START_TEST(nobody_is_sampled_unless_somebody_stands_in_line)
{
    const struct spin_sight nobody = {.suspect = false};

    begin_until(SPIN_RESTS);
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(after(nobody), SPIN_RESTS);
    }
}

START_TEST(work_is_not_nudged)
{
    begin_until(SPIN_LOOKS);
    ck_assert_int_eq(after(working(80)), SPIN_RESTS);
}

START_TEST(few_samples_prove_nothing)
{
    begin_until(SPIN_LOOKS);
    for (int i = 0; trial.stage == SPIN_LOOKS; i++) {
        ck_assert_int_lt(i, 5);
        step(spinning(2));
    }
    ck_assert_int_eq(trial.stage, SPIN_RESTS);
}

START_TEST(what_brings_no_more_work_ends)
{
    begin_until(SPIN_TRIES);
    ck_assert_int_eq(after(spinning(42)), SPIN_RESTS);
}

START_TEST(spinners_that_spin_no_more_are_let_be)
{
    begin_until(SPIN_SERVES);
    step(spinning(0));
    ck_assert_int_eq(after(working(80)), SPIN_RESTS);
}

/* From a rest on, returns the time until such threads are looked at. */
static int64_t rest_until_a_look(struct spin_sight sight)
{
    const int64_t began_ns = rested_ns;

    while (trial.stage == SPIN_RESTS) {
        ck_assert_int_lt(trial.until_ns, began_ns + 10 * NSEC_PER_SEC);
        step(sight);
    }
    ck_assert_int_eq(trial.stage, SPIN_LOOKS);
    return looked_ns - began_ns;
}

static void try_in_vain(struct spin_sight sight)
{
    while (trial.stage != SPIN_RESTS)
        step(sight);
}

/* Trials without success cost less and less. */
START_TEST(rests_grow_with_each_trial_in_vain_up_to_a_limit)
{
    begin_until(SPIN_LOOKS);
    for (int64_t rest_ns = 20 * MS; rest_ns < 80 * NSEC_PER_SEC; rest_ns *= 4) {
        try_in_vain(spinning(40));
        const int64_t rested = rest_until_a_look(spinning(40));
        ck_assert_int_ge(rested, min_i64(rest_ns, 4 * NSEC_PER_SEC));
        ck_assert_int_le(rested, min_i64(rest_ns, 4 * NSEC_PER_SEC) + 320 * MS);
    }
    step(spinning(40));
    while (trial.stage == SPIN_TRIES)
        step(spinning(80));
    ck_assert_int_eq(trial.stage, SPIN_SERVES);
    step(spinning(0));
    step(working(80));
    ck_assert_int_le(rest_until_a_look(spinning(40)), 340 * MS);
}

/* Spinning is noticed even if it did not begin with the program. */
START_TEST(who_spins_late_is_seen_soon)
{
    struct spin_sight sight = working(40);

    sight.suspect = sight.oversubscribed = false;
    begin_until(SPIN_RESTS);
    for (int i = 0; i < 100; i++) {
        const int64_t before_ns = trial.until_ns;
        ck_assert_int_eq(after(sight), SPIN_RESTS);
        ck_assert_int_le(trial.until_ns - before_ns, 320 * MS);
    }
    ck_assert_int_eq(after(spinning(40)), SPIN_LOOKS);
}

/* Beside other programs the threads get little of the processors, so samples are few. */
START_TEST(a_look_that_saw_little_is_taken_again_for_longer_and_so_are_trials)
{
    begin_until(SPIN_LOOKS);
    for (int64_t look_ns = 20 * MS; look_ns < 160 * MS; look_ns *= 2) {
        ck_assert_int_eq(trial.until_ns - looked_ns, look_ns);
        ck_assert_int_eq(after(spinning(7)), SPIN_LOOKS);
    }
    const int64_t end_ns = trial.until_ns;
    ck_assert_int_eq(after(spinning(40)), SPIN_TRIES);
    ck_assert_int_eq(trial.until_ns - end_ns, 320 * MS);
    /* A thread that is no suspect any more need not be seen. */
    begin_until(SPIN_LOOKS);
    struct spin_sight calm = spinning(7);
    calm.suspect = false;
    ck_assert_int_eq(after(calm), SPIN_RESTS);
}

/* ---- traps ---- */

static struct spin_sight trappable(int work_count)
{
    struct spin_sight sight = spinning(work_count);

    sight.trappable = true;
    return sight;
}

/* Threads are caught this often in 30 ms. */
static struct spin_sight caught(int work_count, int64_t caught_count)
{
    struct spin_sight sight = spinning(work_count);

    sight.samples_count = work_count;
    sight.spinning_count = 0;
    sight.caught_count = caught_count;
    return sight;
}

static void begin_trapped(void)
{
    begin_until(SPIN_LOOKS);
    ck_assert_int_eq(after(trappable(40)), SPIN_TRIES);
    ck_assert(spin_trial_traps(&trial) && !interval_us());
}

START_TEST(who_can_be_caught_is_not_nudged)
{
    begin_trapped();
    ck_assert_int_eq(after(caught(80, 10)), SPIN_SERVES);
    ck_assert(spin_trial_traps(&trial) && !interval_us());
}

/* While traps pay there is no need for another look, which would remove the traps for a moment. */
START_TEST(traps_that_catch_somebody_now_and_then_stay)
{
    struct spin_sight sight = caught(0, 10);

    begin_trapped();
    step(caught(80, 10));
    sight.suspect = false;
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(after(sight), SPIN_SERVES);
        ck_assert(spin_trial_traps(&trial));
    }
    sight.caught_count = 0;
    ck_assert_int_eq(after(sight), SPIN_LOOKS);
    ck_assert(!spin_trial_traps(&trial));
}

/* The traps are not removed for this look. */
START_TEST(who_is_caught_and_still_suspect_is_looked_at_for_other_loops)
{
    struct spin_sight sight = caught(80, 10);

    begin_trapped();
    const int64_t tried_ns = trial.until_ns;
    step(sight);
    ck_assert_int_eq(trial.until_ns, tried_ns + 250 * MS);
    ck_assert_int_eq(after(sight), SPIN_TRIES);
    ck_assert(spin_trial_traps(&trial));
    sight.elsewhere = true;
    ck_assert_int_eq(after(sight), SPIN_TRIES);
    sight.elsewhere = false;
    const int64_t again_ns = trial.until_ns;
    ck_assert_int_eq(after(sight), SPIN_SERVES);
    ck_assert_int_eq(trial.until_ns, again_ns + 500 * MS);
}

/* Lets the trial serve until it looks at the threads without traps; returns how long it served. */
static int64_t serve_until_a_look(struct spin_sight tried)
{
    int64_t served_ns = 0;

    for (int i = 0; trial.stage != SPIN_LOOKS; i++) {
        ck_assert_int_lt(i, 20);
        const int64_t began_ns = trial.until_ns;
        const bool tries = trial.stage == SPIN_TRIES;
        step(tried);
        if (tries)
            served_ns += trial.until_ns - began_ns;
    }
    return served_ns;
}

START_TEST(few_who_spin_are_caught_where_that_costs_nothing)
{
    struct spin_sight few = trappable(40);

    begin_until(SPIN_LOOKS);
    few.spinning_count = 4;
    few.work_ns = 76 * SAMPLE_NS;
    step(few);
    ck_assert(spin_trial_traps(&trial));
    ck_assert_int_eq(after(caught(76, 10)), SPIN_SERVES);
    /* Nudges cost more than traps. */
    begin_until(SPIN_LOOKS);
    few.trappable = false;
    ck_assert_int_eq(after(few), SPIN_RESTS);
}

START_TEST(traps_that_bring_nothing_give_way_to_nudges)
{
    begin_trapped();
    ck_assert_int_eq(after(caught(40, 1000)), SPIN_TRIES);
    ck_assert_int_eq(interval_us(), 500);
    begin_trapped();
    step(caught(10, 10));
    ck_assert_int_eq(interval_us(), 500);
}

START_TEST(threads_that_came_after_the_sampled_ones_count_as_these)
{
    struct spin_sight sight = caught(20, 1000);

    begin_trapped();
    sight.sampled_ran_ns = 20 * MS;
    sight.ran_ns = 20 * MS;
    ck_assert_int_eq(after(sight), SPIN_TRIES);
    begin_trapped();
    sight.ran_ns = 60 * MS;
    ck_assert_int_eq(after(sight), SPIN_SERVES);
    ck_assert(spin_trial_traps(&trial));
}

/* Two threads on two processors, beside another program, in a stage of 60 ms. */
static struct spin_sight beside(struct spin_sight sight)
{
    sight.oversubscribed = false;
    sight.threads_count = 2;
    sight.sampled_ns = 60 * MS;
    return sight;
}

/* The other half of the samples is of threads that yield. */
static struct spin_sight yielding(struct spin_sight sight)
{
    sight.samples_count += sight.spinning_count;
    sight.waiting_count = sight.spinning_count;
    return beside(sight);
}

START_TEST(who_has_a_processor_each_is_caught_with_open_masks)
{
    begin_until(SPIN_LOOKS);
    ck_assert(!spin_trial_opens(&trial));
    step(beside(trappable(40)));
    ck_assert(spin_trial_traps(&trial) && spin_trial_opens(&trial));
    ck_assert_int_eq(spin_trial_pace(&trial), 2);
    ck_assert_int_eq(after(beside(caught(120, 1000))), SPIN_SERVES);
    ck_assert(spin_trial_traps(&trial) && spin_trial_opens(&trial));
    /* Nothing that is seen meanwhile shows whether turns would do now. */
    ck_assert_int_ge(serve_until_a_look(beside(caught(120, 1000))), 2 * NSEC_PER_SEC);
    ck_assert(!spin_trial_opens(&trial));
    ck_assert_int_eq(after(beside(trappable(40))), SPIN_TRIES);
    ck_assert(spin_trial_traps(&trial) && spin_trial_opens(&trial));
}

/* Some programs wait better by themselves. */
START_TEST(who_has_a_processor_each_is_left_alone_with_open_masks_if_that_is_better)
{
    begin_until(SPIN_LOOKS);
    step(yielding(trappable(40)));
    ck_assert_int_eq(after(beside(caught(60, 1000))), SPIN_TRIES);
    ck_assert(!spin_trial_traps(&trial) && spin_trial_opens(&trial) && !interval_us());
    ck_assert_int_eq(after(beside(spinning(100))), SPIN_SERVES);
    ck_assert(!spin_trial_traps(&trial) && spin_trial_opens(&trial));
    begin_until(SPIN_LOOKS);
    step(yielding(trappable(40)));
    step(beside(caught(60, 1000)));
    ck_assert_int_eq(after(beside(spinning(40))), SPIN_SERVES);
    ck_assert(spin_trial_traps(&trial));
    begin_until(SPIN_LOOKS);
    step(yielding(trappable(40)));
    step(beside(caught(40, 1000)));
    ck_assert_int_eq(after(beside(spinning(40))), SPIN_RESTS);
    ck_assert(!spin_trial_opens(&trial));
}

/* The kernel puts two of them onto one processor now and then. */
START_TEST(who_has_a_processor_each_and_does_nothing_but_spin_is_caught_or_stays)
{
    begin_until(SPIN_LOOKS);
    step(beside(trappable(40)));
    ck_assert_int_eq(after(beside(caught(40, 1000))), SPIN_RESTS);
    begin_until(SPIN_LOOKS);
    ck_assert_int_eq(after(beside(spinning(40))), SPIN_RESTS);
}

/* The kernel would give them half of the processors, and they already make good use of the time. */
START_TEST(who_has_a_processor_each_and_does_well_is_let_be)
{
    begin_until(SPIN_LOOKS);
    ck_assert_int_eq(after(beside(trappable(110))), SPIN_RESTS);
    begin_until(SPIN_LOOKS);
    ck_assert_int_eq(after(beside(trappable(100))), SPIN_TRIES);
}

/* Open masks that were best beside other programs must not stay when the team has grown. */
START_TEST(who_shares_processors_has_no_open_masks)
{
    begin_until(SPIN_LOOKS);
    step(yielding(spinning(40)));
    ck_assert_int_eq(after(beside(spinning(100))), SPIN_SERVES);
    ck_assert_int_eq(after(spinning(40)), SPIN_LOOKS);
    step(spinning(40));
    ck_assert(!spin_trial_opens(&trial));
    ck_assert_int_eq(interval_us(), 500);
}

/* Threads that are caught in one loop let others reach their own loops. */
START_TEST(traps_are_tried_once_more_where_others_spin_elsewhere)
{
    struct spin_sight sight = caught(40, 1000);

    sight.elsewhere = true;
    begin_trapped();
    ck_assert_int_eq(after(sight), SPIN_TRIES);
    ck_assert(spin_trial_traps(&trial));
    ck_assert_int_eq(after(caught(80, 10)), SPIN_SERVES);
    ck_assert(spin_trial_traps(&trial));
}

/* ---- threads that sleep all the time ---- */

/* Three threads in 160 ms, which spin for half of their time in user mode before they sleep. */
static struct spin_sight sleeping(int work_count)
{
    struct spin_sight sight = trappable(work_count);

    sight.suspect = false;
    sight.sleepers = true;
    sight.sampled_ns = 160 * MS;
    return sight;
}

/* Threads that are caught yield, and sleep no more. */
static struct spin_sight awake(int work_count)
{
    struct spin_sight sight = caught(work_count, 10000);

    sight.suspect = false;
    sight.sampled_ns = 320 * MS;
    return sight;
}

static void begin_sleeping(void)
{
    begin_until(SPIN_RESTS);
    const int64_t before_ns = trial.until_ns;
    ck_assert_int_eq(after(sleeping(0)), SPIN_LOOKS);
    ck_assert(spin_trial_wants_self_sampling(&trial));
    ck_assert_int_eq(trial.until_ns, before_ns + 160 * MS);
}

START_TEST(sleepers_tell_where_they_spin_and_are_caught_there)
{
    begin_sleeping();
    ck_assert_int_eq(after(sleeping(10)), SPIN_TRIES);
    ck_assert(spin_trial_wants_self_sampling(&trial) && spin_trial_traps(&trial));
    ck_assert_int_eq(after(awake(60)), SPIN_SERVES);
    ck_assert(spin_trial_traps(&trial) && !spin_trial_suspects(&trial));
    ck_assert_int_ge(serve_until_a_look(awake(60)), 2 * NSEC_PER_SEC);
    ck_assert(spin_trial_wants_self_sampling(&trial) && !spin_trial_traps(&trial));
    step(sleeping(10));
    ck_assert(spin_trial_traps(&trial));
}

/* The work that few samples show may be off by a third. */
START_TEST(sleepers_are_caught_only_if_that_brings_much)
{
    begin_sleeping();
    step(sleeping(10));
    ck_assert_int_eq(after(awake(28)), SPIN_RESTS);
    ck_assert(!spin_trial_wants_self_sampling(&trial));
    begin_sleeping();
    step(sleeping(10));
    ck_assert_int_eq(after(awake(29)), SPIN_SERVES);
}

START_TEST(sleepers_are_never_nudged)
{
    struct spin_sight sight = sleeping(10);

    begin_sleeping();
    sight.trappable = false;
    ck_assert_int_eq(after(sight), SPIN_RESTS);
}

START_TEST(sleepers_that_are_seldom_met_awake_are_looked_at_for_longer)
{
    begin_sleeping();
    const int64_t first_ns = trial.until_ns;
    ck_assert_int_eq(after(sleeping(2)), SPIN_LOOKS);
    ck_assert_int_eq(trial.until_ns, first_ns + 320 * MS);
    ck_assert_int_eq(after(sleeping(10)), SPIN_TRIES);
    ck_assert_int_eq(trial.until_ns, first_ns + 640 * MS);
    begin_sleeping();
    step(sleeping(2));
    ck_assert_int_eq(after(sleeping(2)), SPIN_RESTS);
}

START_TEST(sleepers_that_have_a_processor_each_are_let_be)
{
    begin_until(SPIN_RESTS);
    ck_assert_int_eq(after(beside(sleeping(10))), SPIN_RESTS);
}

/* A program may compute for long before, between phases that are not short. */
START_TEST(sleepers_are_looked_at_soon_after_others_that_worked)
{
    begin_until(SPIN_LOOKS);
    for (int i = 0; i < 6; i++) {
        step(working(80));
        rest_until_a_look(working(80));
    }
    step(working(80));
    ck_assert_int_le(rest_until_a_look(sleeping(10)), 320 * MS);
    ck_assert(spin_trial_wants_self_sampling(&trial));
}

START_TEST(sleepers_that_are_caught_in_vain_are_caught_more_seldom)
{
    struct spin_sight sight = sleeping(10);

    begin_sleeping();
    for (int64_t rest_ns = 160 * MS; rest_ns < 80 * NSEC_PER_SEC; rest_ns *= 4) {
        ck_assert_int_eq(after(sight), SPIN_TRIES);
        step(sight);
        ck_assert_int_ge(rest_until_a_look(sight), min_i64(rest_ns, 4 * NSEC_PER_SEC));
        ck_assert(spin_trial_wants_self_sampling(&trial));
    }
    step(sight);
    step(sight);
    ck_assert_int_le(rest_until_a_look(spinning(40)), 320 * MS);
    ck_assert(!spin_trial_wants_self_sampling(&trial));
}

START_TEST(sleepers_that_do_not_spin_are_looked_at_soon_again)
{
    struct spin_sight sight = sleeping(10);

    sight.spinning_count = 0;
    begin_sleeping();
    for (int i = 0; i < 6; i++) {
        step(sight);
        ck_assert_int_le(rest_until_a_look(sight), 320 * MS);
    }
}

/* Counts the looks at other threads in four seconds, though threads are only suspected of
 * sleeping. */
static int accounts_of_sleepers(bool can_tell)
{
    const int64_t until_ns = 4 * NSEC_PER_SEC;
    int count = 0;

    spin_trial_begin(&trial, 0);
    while (trial.until_ns < until_ns) {
        const int64_t now_ns = trial.until_ns;
        struct spin_sight sight = sleeping(10);
        sight.spinning_count = 0;
        step(sight);
        if (trial.stage == SPIN_LOOKS && spin_trial_wants_self_sampling(&trial) && !can_tell)
            spin_trial_give_up_look(&trial, now_ns);
        count += trial.stage == SPIN_LOOKS && !spin_trial_wants_self_sampling(&trial);
    }
    return count;
}

START_TEST(sleepers_that_cannot_tell_are_accounted_as_others_are)
{
    ck_assert_int_ge(accounts_of_sleepers(false), 3);
    ck_assert_int_eq(accounts_of_sleepers(true), 0);
}

/* Counts the looks at threads in for_ns, though no thread waits in a run queue. */
static int looks_unsuspected(int64_t for_ns, struct spin_sight sight, int64_t *first_ns)
{
    int count = 0;

    sight.suspect = false;
    spin_trial_begin(&trial, 0);
    while (trial.until_ns < for_ns) {
        const int64_t now_ns = trial.until_ns;
        step(sight);
        ck_assert(trial.stage == SPIN_RESTS || trial.stage == SPIN_LOOKS);
        if (trial.stage == SPIN_LOOKS && count++ == 0)
            *first_ns = now_ns;
    }
    return count;
}

START_TEST(what_they_work_is_looked_at_now_and_then)
{
    struct spin_sight sight = working(40);
    int64_t first_ns = 0;
    const int count = looks_unsuspected(10 * NSEC_PER_SEC, sight, &first_ns);

    ck_assert_int_ge(first_ns, 100 * MS);
    ck_assert_int_lt(first_ns, 200 * MS);
    ck_assert_int_ge(count, 5);
    ck_assert_int_le(count, 8);
    sight.oversubscribed = false;
    ck_assert_int_eq(looks_unsuspected(10 * NSEC_PER_SEC, sight, &first_ns), 0);
}

/* Threads that switch every few microseconds hardly work while they are sampled. */
START_TEST(who_is_hindered_by_it_is_looked_at_twice)
{
    struct spin_sight sight = working(40);
    int64_t first_ns = 0;

    sight.hinders = true;
    ck_assert_int_eq(looks_unsuspected(7 * NSEC_PER_SEC, sight, &first_ns), 2);
    ck_assert_int_lt(first_ns, 200 * MS);
}

/* A look without a suspect does not delay the look at the next suspect. */
START_TEST(such_looks_put_off_none_of_suspects)
{
    struct spin_sight sight = working(40);

    sight.suspect = false;
    spin_trial_begin(&trial, 0);
    while (trial.stage != SPIN_LOOKS)
        step(sight);
    ck_assert(!spin_trial_suspects(&trial));
    ck_assert_int_eq(after(sight), SPIN_RESTS);
    ck_assert_int_eq(after(spinning(40)), SPIN_LOOKS);
    ck_assert(spin_trial_suspects(&trial));
    ck_assert_int_eq(after(spinning(40)), SPIN_TRIES);
}

/* The threads tell the samples themselves, one tick apart. */
START_TEST(slow_samples_take_longer_looks_at_suspects_only)
{
    begin_until(SPIN_LOOKS);
    const int64_t began_ns = trial.until_ns - 20 * MS;
    spin_trial_slow_down(&trial);
    spin_trial_slow_down(&trial);
    ck_assert_int_eq(trial.until_ns, began_ns + 80 * MS);
    ck_assert_int_eq(after(spinning(40)), SPIN_TRIES);
    ck_assert_int_eq(trial.until_ns, began_ns + 80 * MS + 160 * MS);
    begin_until(SPIN_RESTS);
    spin_trial_slow_down(&trial);
    for (int i = 0; i < 100; i++) {
        struct spin_sight sight = working(40);
        sight.suspect = false;
        ck_assert_int_eq(after(sight), SPIN_RESTS);
    }
}

static struct spin_sight any_sight(void)
{
    const int samples = (int)below(60), spinning = (int)below(samples + 1);

    return (struct spin_sight){
        .suspect = below(2),
        .sleepers = below(2),
        .trappable = below(2),
        .threads_count = (int)below(6),
        .oversubscribed = below(4),
        .samples_count = samples,
        .spinning_count = spinning,
        .waiting_count = (int)below(samples - spinning + 1),
        .sampled_ns = below(8) * 20 * MS,
        .work_ns = below(400 * MS),
        .ran_ns = below(2) * below(400 * MS),
        .sampled_ran_ns = below(2) * below(400 * MS),
        .elsewhere = below(2),
        .caught_count = below(2) * below(100000),
    };
}

static void try_anything(void)
{
    spin_trial_begin(&trial, 0);
    for (int i = 0; i < 100; i++) {
        const int64_t now_ns = trial.until_ns;
        const struct spin_sight sight = any_sight();

        step(sight);
        if (trial.stage == SPIN_LOOKS && one_in(10))
            spin_trial_give_up_look(&trial, now_ns);
        ALWAYS(trial.until_ns > now_ns && trial.until_ns <= now_ns + 16 * NSEC_PER_SEC);
        ALWAYS(sight.oversubscribed || !spin_trial_interval_ns(&trial));
        ALWAYS(!spin_trial_traps(&trial) || !spin_trial_interval_ns(&trial));
        ALWAYS(!spin_trial_opens(&trial) || !sight.oversubscribed);
        ALWAYS(trial.best >= -1 && trial.best < SPIN_MEANS_COUNT);
        ALWAYS(trial.means >= 0 && trial.means < SPIN_MEANS_COUNT);
    }
}

START_TEST(whatever_is_seen_stages_end_and_who_has_a_processor_is_not_nudged)
{
    live_with_seeds(2000, try_anything);
}

SUITE("spin trial")
