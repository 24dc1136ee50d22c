/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/chance.h"

#include "juggled/care/worth.h"

enum { EXPECTED = 250, SHARES = 1000000, SHARE_PPM = SHARES / 100 };

#define SECOND_NS NSEC_PER_SEC

static enum worth_finding judge_often(struct worth *worth, int times, int64_t turns, int64_t moves)
{
    const struct worth_turns judged = {
        .count = turns,
        .moves = moves,
        .period_ns = WORTH_JUDGE_NS / EXPECTED,
        .share_ppm = SHARE_PPM,
    };
    enum worth_finding finding = WORTH_IT;

    while (times--)
        finding = worth_judge(worth, &judged);
    return finding;
}

/* Judges as often as the job can pay for. */
static enum worth_finding judge_paid(struct worth *worth, int times, int64_t cost_ns)
{
    const int64_t period_ns = cost_ns * SHARES / SHARE_PPM;
    const int64_t count = WORTH_JUDGE_NS / period_ns;
    const struct worth_turns judged = {
        .count = count,
        .moves = 1,
        .cost_ns = cost_ns * count,
        .period_ns = WORTH_JUDGE_NS / EXPECTED,
        .share_ppm = SHARE_PPM,
    };
    enum worth_finding finding = WORTH_IT;

    while (times--)
        finding = worth_judge(worth, &judged);
    return finding;
}

START_TEST(turns_that_are_not_kept_three_times_are_an_overrun)
{
    struct worth worth = {0};

    ck_assert_int_eq(judge_often(&worth, 2, EXPECTED / 2 - 1, 1), WORTH_IT);
    ck_assert_int_eq(judge_often(&worth, 1, EXPECTED / 2, 1), WORTH_IT);
    ck_assert_int_eq(judge_often(&worth, 2, EXPECTED / 2 - 1, 1), WORTH_IT);
    ck_assert_int_eq(judge_often(&worth, 1, EXPECTED / 2 - 1, 1), WORTH_OVERRUN);
}

START_TEST(rounds_that_cannot_be_paid_for_are_not_missed_until_they_are_no_good)
{
    struct worth worth = {0};

    /* One percent of a processor: 80 ms between two turns are four times the period, and still
     * useful. */
    ck_assert_int_eq(judge_paid(&worth, 10, 800 * NSEC_PER_USEC), WORTH_IT);
    ck_assert_int_eq(judge_paid(&worth, 2, 1100 * NSEC_PER_USEC), WORTH_IT);
    worth_forget_costs(&worth);
    ck_assert_int_eq(judge_paid(&worth, 2, 1100 * NSEC_PER_USEC), WORTH_IT);
    ck_assert_int_eq(judge_paid(&worth, 1, 1100 * NSEC_PER_USEC), WORTH_SPENT);
}

START_TEST(half_a_minute_without_a_move_is_enough)
{
    struct worth worth = {0};

    ck_assert_int_eq(judge_often(&worth, 5, EXPECTED, 0), WORTH_IT);
    ck_assert_int_eq(judge_often(&worth, 1, EXPECTED, 1), WORTH_IT);
    ck_assert_int_eq(judge_often(&worth, 5, EXPECTED, 0), WORTH_IT);
    ck_assert_int_eq(judge_often(&worth, 1, EXPECTED, 0), WORTH_STILL);
}

static int64_t first_trial_ns(int threads, int processors)
{
    struct worth worth = {0};

    worth_plan(&worth, threads, processors, 0);
    return worth.trial_ns;
}

START_TEST(moves_that_all_fail_twice_are_refused)
{
    struct worth_turns turns = {.failed = 1, .share_ppm = SHARE_PPM};
    struct worth worth = {0};

    ck_assert_int_eq(worth_judge(&worth, &turns), WORTH_IT);
    turns.moves = 1;
    ck_assert_int_eq(worth_judge(&worth, &turns), WORTH_IT);
    turns.moves = 0;
    ck_assert_int_eq(worth_judge(&worth, &turns), WORTH_IT);
    ck_assert_int_eq(worth_judge(&worth, &turns), WORTH_REFUSED);
}

START_TEST(what_theory_promises_little_of_is_tried_early)
{
    const int64_t early_ns = first_trial_ns(4, 2), late_ns = first_trial_ns(3, 2);

    ck_assert_int_lt(early_ns, late_ns);
    ck_assert_int_eq(first_trial_ns(1, 2), early_ns);
    ck_assert_int_eq(first_trial_ns(31, 16), early_ns); /* (2 * 16 - 31) / 31 */
    ck_assert_int_eq(first_trial_ns(17, 16), late_ns);
}

START_TEST(one_thread_is_never_tried)
{
    struct worth worth = {0};

    worth_plan(&worth, 1, 2, 0);
    ck_assert(!worth_trial_due(&worth, INT64_MAX));
    worth_plan(&worth, 2, 2, 0);
    ck_assert(!worth_trial_due(&worth, worth.trial_ns - 1));
    ck_assert(worth_trial_due(&worth, worth.trial_ns));
}

START_TEST(one_clear_gain_ends_a_trial_and_the_next_one_waits_twice_as_long)
{
    struct worth worth = {0};
    enum worth_finding finding;

    worth_plan(&worth, 4, 2, 0);
    const int64_t first_ns = worth.trial_ns;
    ck_assert(!worth_compare(&worth, 0.5, 0.5, first_ns, &finding));
    ck_assert(worth_compare(&worth, 0.53, 0.5, first_ns, &finding));
    ck_assert_int_eq(finding, WORTH_IT);
    ck_assert_int_eq(worth.trial_ns - first_ns, 2 * first_ns);
    for (int i = 0; i < 20; i++)
        worth_postpone(&worth, 0);
    ck_assert_int_eq(worth.trial_ns, 3600 * SECOND_NS);
}

static enum worth_finding try_three(const double with[3])
{
    struct worth worth = {0};
    enum worth_finding finding = WORTH_FINDINGS_COUNT;

    worth_plan(&worth, 4, 2, 0);
    for (int i = 0; i < 2; i++)
        ck_assert(!worth_compare(&worth, with[i], 0.5, 0, &finding));
    ck_assert(worth_compare(&worth, with[2], 0.5, 0, &finding));
    ck_assert_int_eq(worth.pairs, 0);
    return finding;
}

START_TEST(harm_needs_all_pairs_to_agree)
{
    ck_assert_int_eq(try_three((const double[]){0.40, 0.45, 0.47}), WORTH_HARM);
    ck_assert_int_eq(try_three((const double[]){0.40, 0.45, 0.48}), WORTH_NOTHING);
    ck_assert_int_eq(try_three((const double[]){0.40, 0.45, 0.60}), WORTH_IT);
    ck_assert_int_eq(try_three((const double[]){0.52, 0.51, 0.49}), WORTH_NOTHING);
}

START_TEST(a_suspected_job_is_tried_again_when_it_has_rested)
{
    struct worth worth = {0};
    enum worth_finding finding;

    worth_plan(&worth, 3, 2, 0);
    const int64_t now_ns = worth.trial_ns;
    for (int i = 0; i < 3; i++)
        (void)worth_compare(&worth, 0.4, 0.5, now_ns, &finding);
    ck_assert_int_eq(finding, WORTH_HARM);
    ck_assert(worth.suspected);
    ck_assert(worth_trial_due(&worth, now_ns + 30 * SECOND_NS));
    ck_assert(worth_compare(&worth, 0.6, 0.5, now_ns, &finding));
    ck_assert(!worth.suspected);
}

START_TEST(another_number_of_threads_is_another_job)
{
    struct worth worth = {0};
    enum worth_finding finding;

    worth_plan(&worth, 4, 2, 0);
    ck_assert(worth_compare(&worth, 1, 0.5, 0, &finding));
    const int64_t trial_ns = worth.trial_ns;
    worth_plan(&worth, 4, 2, SECOND_NS);
    ck_assert_int_eq(worth.trial_ns, trial_ns);
    worth_plan(&worth, 6, 2, SECOND_NS);
    ck_assert_int_eq(worth.trial_ns, SECOND_NS + first_trial_ns(6, 2));
}

START_TEST(the_slowest_counts_and_helpers_do_not)
{
    ck_assert_int_eq(worth_slowest((const int64_t[]){700, 500, 600}, 3), 500);
    ck_assert_int_eq(worth_slowest((const int64_t[]){700, 69, 600}, 3), 600);
    ck_assert_int_eq(worth_slowest((const int64_t[]){700, 70, 600}, 3), 70);
    ck_assert_int_eq(worth_slowest((const int64_t[]){0, 0}, 2), 0);
}

START_TEST(a_trial_that_is_given_up_says_nothing_of_the_next)
{
    struct worth worth = {0};
    enum worth_finding finding;

    worth_plan(&worth, 4, 2, 0);
    for (int i = 0; i < 2; i++)
        ck_assert(!worth_compare(&worth, 0.4, 0.5, 0, &finding));
    worth_give_up(&worth);
    for (int i = 0; i < 2; i++)
        ck_assert(!worth_compare(&worth, 0.4, 0.5, 0, &finding));
    ck_assert(worth_compare(&worth, 0.4, 0.5, 0, &finding));
}

/* ---- random events ---- */

static double some_rate(void)
{
    return (double)between(1, 100) / 100;
}

/* One judgement proves nothing, and turns that are kept and move threads are not in vain. */
static void judge_anything(void)
{
    struct worth worth = {0};
    int bad_count = 0;

    for (int i = 0; i < 50; i++) {
        const struct worth_turns turns = {
            .count = below(3 * EXPECTED),
            .moves = below(3),
            .failed = below(3),
            .cost_ns = below(2) * below(WORTH_JUDGE_NS),
            .period_ns = below(2) * WORTH_JUDGE_NS / EXPECTED,
            .share_ppm = (int)between(1, SHARES),
        };
        const bool paid = turns.cost_ns * (SHARES / turns.share_ppm) <= WORTH_JUDGE_NS / 2;

        if (one_in(10))
            worth_forget_costs(&worth);
        const enum worth_finding finding = worth_judge(&worth, &turns);
        bad_count = turns.count >= EXPECTED && turns.moves && paid ? 0 : bad_count + 1;
        ALWAYS(finding == WORTH_IT || bad_count > 1);
        ALWAYS(finding != WORTH_STILL || !turns.moves);
        ALWAYS(finding != WORTH_REFUSED || (turns.failed && !turns.moves));
        ALWAYS(finding != WORTH_NOTHING && finding != WORTH_HARM);
    }
}

START_TEST(no_judgement_is_made_of_one_look)
{
    live_with_seeds(5000, judge_anything);
}

/* The job goes on after its last trial: threads come or go, and the next trial is due in time. */
static int64_t next_trial_ns(struct worth *worth, int64_t now_ns)
{
    if (one_in(10)) {
        const int threads_count = worth->threads_count + 1;
        now_ns += below(WORTH_JUDGE_NS);
        worth_plan(worth, threads_count, (int)between(1, 4), now_ns);
    }
    ALWAYS(!worth_trial_due(worth, now_ns + 30 * SECOND_NS - 1));
    ALWAYS(worth_trial_due(worth, now_ns + 3600 * SECOND_NS));
    return max_i64(now_ns, worth->trial_ns);
}

/* Returns false if the trial is given up; it may begin again at once. */
static bool trial_comes_to_an_end(struct worth *worth, int64_t now_ns)
{
    enum worth_finding finding = WORTH_FINDINGS_COUNT;
    int harms = 0;

    for (int pairs = 1; !one_in(8); pairs++) {
        const double with = some_rate(), without = some_rate();

        harms += without > with;
        if (worth_compare(worth, with, without, now_ns, &finding)) {
            ALWAYS(finding == WORTH_IT ? with > without : pairs == 3);
            ALWAYS(finding != WORTH_HARM || harms == 3);
            return true;
        }
        ALWAYS(pairs < 3);
    }
    if (one_in(2)) {
        worth_postpone(worth, now_ns);
        return true;
    }
    worth_give_up(worth);
    return false;
}

static void try_anything(void)
{
    struct worth worth = {0};
    int64_t now_ns = below(SECOND_NS);

    worth_plan(&worth, (int)between(2, 9), (int)between(1, 4), now_ns);
    for (int i = 0; i < 100; i++) {
        now_ns = next_trial_ns(&worth, now_ns);
        while (!trial_comes_to_an_end(&worth, now_ns))
            ALWAYS(worth_trial_due(&worth, now_ns));
    }
}

START_TEST(trials_are_rare_never_cease_and_judge_by_their_own_pairs)
{
    live_with_seeds(3000, try_anything);
}

SUITE("worth")
