/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "juggle/report/advice.h"
#include "juggle/report/forecast.h"

#include <string.h>

#define MS NSEC_PER_MSEC

/* Three threads that progressed equally on two processors, undisturbed: there is no advice to
 * give. */
static struct job_thread threads[3];

static struct report plain(void)
{
    for (int i = 0; i < 3; i++)
        threads[i] = (struct job_thread){.tid = 11 + i,
                                         .comm = {"worker"},
                                         .progress_ns = 6000 * MS,
                                         .run_ns = 6000 * MS,
                                         .wait_ns = 3000 * MS};
    return (struct report){
        .elapsed_ns = 9000 * MS,
        .own_cpu_ns = 90 * MS,
        .program_ns = 18000 * MS,
        .statistics =
            {
                .processors_count = 2,
                .domains_count = 1,
                .waited_ns = 100 * MS,
                .choice.time_ns = {[PERIOD_LEARNED] = 9000 * MS},
            },
        .threads = threads,
        .threads_count = 3,
    };
}

static void expect_only(const struct report *report, const char *words)
{
    struct advice advice;

    advice_make(report, &advice);
    ck_assert_msg(advice.count == 1, "%d sentences: %s", advice.count,
                  advice.count ? advice.lines[advice.count - 1] : "");
    expect_says(advice.lines[0], words);
}

static void expect_nothing(const struct report *report)
{
    struct advice advice;

    advice_make(report, &advice);
    ck_assert_msg(advice.count == 0, "%s", advice.lines[0]);
}

START_TEST(a_good_run_needs_no_advice)
{
    struct report report = plain();

    expect_nothing(&report);
}

START_TEST(nothing_is_said_of_what_was_not_balanced_or_short)
{
    struct report report = plain();

    report.taken.others_ns = 9000 * MS;
    report.elapsed_ns = 150 * MS;
    expect_nothing(&report);
    report = plain();
    report.taken.others_ns = 9000 * MS;
    report.trouble = "there is one processor only";
    expect_nothing(&report);
}

/* The threads ran for run_ns together, of the 18 s that two processors have in 9 s. */
static struct report slowed(int64_t run_ns, struct taken taken)
{
    struct report report = plain();

    for (int i = 0; i < 3; i++)
        threads[i].run_ns = threads[i].progress_ns = run_ns / 3;
    report.program_ns = run_ns;
    report.taken = taken;
    return report;
}

START_TEST(what_the_run_waited_for_is_told_with_its_time)
{
    struct report report = slowed(13500 * MS, (struct taken){.others_ns = 4500 * MS});

    expect_only(&report, "2.25 s of the 9 s (25 %): other programs took");
    report = slowed(15300 * MS, (struct taken){.steal_ns = 2700 * MS});
    expect_only(&report, "of the 9 s (15 %): the host of this virtual machine");
    report = slowed(15000 * MS, (struct taken){.throttled_ns = 3000 * MS});
    expect_only(&report, "quota of the control group (cpu.max)");
    report = slowed(6000 * MS, (struct taken){.stopped_ns = 6000 * MS});
    expect_only(&report, "6 s of the 9 s (67 %): the program was stopped");
    report = slowed(18000 * MS, (struct taken){.others_ns = 800 * MS});
    expect_nothing(&report);
}

START_TEST(fewer_threads_are_better_for_short_phases)
{
    struct report report = plain();

    report.statistics.choice.time_ns[PERIOD_SHORT] = 20000 * MS;
    expect_only(&report, "with 2 threads instead of 3: phases are too short");
    expect_only(&report, "for a processor 33 % of their time; with one each the same work takes up "
                         "to 25 % less");
    report.threads_count = 2;
    expect_nothing(&report);
}

START_TEST(more_threads_are_better_for_idle_processors)
{
    struct report report = plain();

    report.statistics.processors_count = 4;
    expect_only(&report, "2.25 s of the 9 s (25 %): processors had nothing to do");
}

START_TEST(who_has_more_work_is_named)
{
    struct report report = plain();

    threads[1].progress_ns = 9000 * MS;
    expect_only(&report, "thread 12 (worker) did 50 % more than the mean of the others");
    expect_only(&report, "up to 2 s less");
    threads[1].progress_ns = 6500 * MS;
    expect_nothing(&report);
}

/* Other programs took the time that the run lacks, because its threads yielded to them. */
START_TEST(yields_are_blamed_for_what_other_programs_took)
{
    struct report report = slowed(13500 * MS, (struct taken){.others_ns = 4500 * MS});
    struct advice advice;

    for (int i = 0; i < 3; i++)
        threads[i].slices_count = 1000000;
    advice_make(&report, &advice);
    ck_assert_ptr_nonnull(strstr(advice.lines[0], "a whole slice each time"));
    ck_assert_ptr_nonnull(strstr(advice.lines[advice.count - 1], "OMP_WAIT_POLICY=passive"));
}

START_TEST(yields_lateness_and_cost_are_told)
{
    struct report report = plain();

    threads[0].state = threads[2].state = THREAD_YIELDING;
    expect_only(&report, "waited in sched_yield");
    report = plain();
    threads[0].slices_count = threads[2].slices_count = 1000000;
    expect_only(&report, "waited in sched_yield");
    report.statistics.spin.caught_count = 50000;
    expect_nothing(&report);
    report.statistics.spin.caught_count = 0;
    threads[0].slices_count = 100000;
    expect_nothing(&report);
    report = plain();
    report.statistics.waited_ns = 3000 * MS;
    expect_only(&report, "complete after 3 s of the 9 s: before, nobody was balanced; -n N");
    report.threads_expected = 3;
    expect_only(&report, "nobody was balanced");
    report = plain();
    report.own_cpu_ns = 1350 * MS; /* to find threads: a longer period would not help */
    expect_nothing(&report);
    report.statistics.balancers_cpu_ns = 850 * MS;
    expect_nothing(&report);
    report.statistics.balancers_cpu_ns = 1350 * MS;
    expect_only(&report, "balancing took 15.0 % of a processor");
    report.statistics.spin.nudges_count = 1; /* a longer period would not help */
    expect_nothing(&report);
}

START_TEST(who_spins_is_told_where_and_what_has_it_sleep)
{
    struct report report = plain();
    struct spinners_statistics *spin = &report.statistics.spin;

    *spin = (struct spinners_statistics){.samples_count = 100, .spinning_count = 38};
    expect_only(
        &report,
        "while juggle did not interfere, threads spun for 38 % of the time, in the program: as "
        "many threads as processors");
    strcpy(spin->place.untrusted, "libgomp.so.1.0.0");
    expect_only(&report, "in libgomp.so.1.0.0: OMP_WAIT_POLICY=passive");
    strcpy(spin->place.untrusted, "libomp-14.so.5");
    expect_only(&report, "KMP_BLOCKTIME=0");
    strcpy(spin->place.untrusted, "lu.\033[31mW");
    struct advice advice;
    advice_make(&report, &advice);
    ck_assert_ptr_null(strchr(advice.lines[0], '\033'));
    spin->spinning_count = 5;
    expect_nothing(&report);
}

/* Three threads on two processors in nine seconds; each argument is the part of a thread's time
 * that is work. */
static struct report working(double first, double second, double third)
{
    struct report report = plain();

    threads[0].work_share = first;
    threads[1].work_share = second;
    threads[2].work_share = third;
    return report;
}

static double foretold_s(const struct report *report)
{
    struct forecast forecast;

    if (!forecast_make(report, &forecast))
        return -1;
    ck_assert_int_eq(forecast.threads_count, 2);
    return (double)forecast.time_ns / NSEC_PER_SEC;
}

START_TEST(with_fewer_threads_the_work_alone_is_left)
{
    struct report report = working(0.2, 0.2, 0.2);

    ck_assert_double_eq_tol(foretold_s(&report), 1.8, 1e-6);
    expect_only(&report, "with 2 threads instead of 3 this program would take about 1.8 s instead "
                         "of 9 s");
    report.statistics.choice.time_ns[PERIOD_SHORT] = 20000 * MS;
    expect_only(&report, "this program would take about");
    /* The work that one thread has beyond the others cannot be shared. */
    report = working(0.5, 0.2, 0.2);
    ck_assert_double_eq_tol(foretold_s(&report), 1.8 + 1.8, 1e-6);
    report = working(0.2, 0.2, 0.5);
    ck_assert_double_eq_tol(foretold_s(&report), 1.8 + 1.8, 1e-6);
}

START_TEST(nothing_is_foretold_that_is_not_known)
{
    struct report report = working(1, 1, 1);

    ck_assert_double_eq_tol(foretold_s(&report), 9, 1e-6);
    expect_nothing(&report);
    report = plain();
    ck_assert_double_eq(foretold_s(&report), -1);
    report = working(0.2, 0.2, 0.2);
    threads[2].pid = 7;
    ck_assert_double_eq(foretold_s(&report), -1);
    threads[2].pid = 0;
    report.threads_count = 2;
    ck_assert_double_eq(foretold_s(&report), -1);
    report.threads_count = 3;
    report.elapsed_ns = 30000 * MS;
    ck_assert_double_eq(foretold_s(&report), -1);
    report = working(0.2, 0.2, 0.2);
    report.taken.others_ns = 1700 * MS;
    ck_assert_double_eq_tol(foretold_s(&report), 1.8, 1e-6);
    report.taken.others_ns = 1900 * MS;
    ck_assert_double_eq(foretold_s(&report), -1);
}

START_TEST(no_thread_is_no_trouble)
{
    struct report report = plain();

    report.threads_count = 0;
    report.statistics.choice = (struct period_choice){0};
    expect_nothing(&report);
}

SUITE("advice")
