/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/advice.h"
#include "juggle/report/causes.h"
#include "juggle/report/forecast.h"

#include "cli/options.h"
#include "cli/foreign.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* A thread that has done this share more work than the mean of the others is reported. */
#define MORE_WORK_SHARE 0.15
/* Threads spin a little even if nothing is wrong: smaller shares are not reported. */
#define SPUN_SHARE_MIN 0.1
/* A thread yields in its waits if each of its slices is shorter than YIELD_NS in the mean and it
 * sleeps for less than 1 / YIELD_BLOCKED_PART of its life. */
#define YIELD_NS           (20 * NSEC_PER_USEC)
#define YIELD_BLOCKED_PART 8
/* The largest number of slices that is ascribed to one catch or nudge by juggle. */
#define YIELDS_OF_JUGGLE 50

static void __attribute__((format(printf, 2, 3)))
say(struct advice *advice, const char *format, ...)
{
    va_list arguments;

    if (advice->count == ADVICE_LINES_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(advice->lines[advice->count++], ADVICE_SIZE, format, arguments);
    va_end(arguments);
}

/* ---- what the run waited for ---- */

/* The explanation of each cause, which is printed behind the time that it took. */
static const char *const remedies[CAUSE_KINDS_COUNT] = {
    [CAUSE_STOPPED] = "the program was stopped",
    [CAUSE_QUOTA] = "threads waited for the quota of the control group (cpu.max): a larger one, or "
                    "as many threads as it has processors for (--fit), helps; no balancing does",
    [CAUSE_HOST] = "the host of this virtual machine ran others on its processors",
    [CAUSE_PINS] = "threads waited at processors that the program had bound them to, with others "
                   "free: bind nothing (mpirun --bind-to none, OMP_PROC_BIND=false), or see "
                   "--override",
    [CAUSE_OTHERS] = "other programs took the processors that threads waited for: the run is as "
                     "fast as they let it be",
    [CAUSE_BLOCKED] = "threads slept, for input, output, each other or a time: no processor helps",
    [CAUSE_FEW_THREADS] = "processors had nothing to do: more threads would use them",
};

/* True if the thread is given a processor again and again, without having slept. */
static bool yields_in_waits(const struct job_thread *thread)
{
    return thread->state == THREAD_YIELDING ||
           (thread->run_ns < thread->slices_count * YIELD_NS &&
            thread->blocked_ns < thread_life_ns(thread) / YIELD_BLOCKED_PART);
}

/* True if most threads yield of their own accord. A thread that juggle catches or nudges yields
 * because of that. */
static bool waits_by_yielding(const struct report *report)
{
    const struct spinners_statistics *spin = &report->statistics.spin;
    int count = 0;

    for (int i = 0; i < report->threads_count; i++)
        count += yields_in_waits(&report->threads[i]);
    return 2 * count > report->threads_count &&
           report_sums(report).slices_count >=
               (spin->caught_count + spin->nudges_count) * YIELDS_OF_JUGGLE;
}

static const char *remedy_of(const struct report *report, enum cause_kind kind)
{
    if (kind == CAUSE_OTHERS && waits_by_yielding(report))
        return "other programs took the processors that threads waited for, a whole slice each "
               "time that one of these gave way in sched_yield";
    return remedies[kind];
}

static void say_causes(const struct report *report, struct advice *advice)
{
    struct cause causes[CAUSE_KINDS_COUNT];
    const int count = causes_of(report, causes);

    for (int i = 0; i < count; i++)
        say(advice, "%s of the %s (%.0f %%): %s", IN_WORDS(causes[i].time_ns),
            IN_WORDS(report->elapsed_ns), percent_of(causes[i].time_ns, report->elapsed_ns),
            remedy_of(report, causes[i].kind));
}

/* ---- work ---- */

static const struct job_thread *thread_most(const struct report *report)
{
    const struct job_thread *most = &report->threads[0];

    for (int i = 1; i < report->threads_count; i++)
        if (report->threads[i].progress_ns > most->progress_ns)
            most = &report->threads[i];
    return most;
}

/* The others wait for the thread with the most work: the run gets shorter if its surplus is
 * shared out. */
static void say_uneven(const struct report *report, struct advice *advice)
{
    if (report->threads_count < 2)
        return;
    const struct job_thread *most = thread_most(report);
    const int64_t others_ns = (report_sums(report).progress_ns - most->progress_ns) /
                              (report->threads_count - 1);
    const int64_t surplus_ns = most->progress_ns - others_ns;
    if (share_of(surplus_ns, others_ns) > MORE_WORK_SHARE &&
        share_of(surplus_ns, report->elapsed_ns) >= CAUSE_SHARE_MIN)
        say(advice,
            "thread %d (%s) did %.0f %% more than the mean of the others: work shared out evenly "
            "needs up to %s less",
            (int)most->tid, FOREIGN(most->comm), percent_of(surplus_ns, others_ns),
            IN_WORDS(surplus_ns / report->threads_count * (report->threads_count - 1)));
}

/* ---- how many threads ---- */

static double short_share(const struct period_choice *choice)
{
    int64_t sum_ns = 0;

    for (int i = 0; i < PERIOD_REASONS_COUNT; i++)
        sum_ns += choice->time_ns[i];
    return share_of(choice->time_ns[PERIOD_SHORT], sum_ns);
}

/* Forecasts were off by up to a quarter (docs/fit.md), so a smaller gain is not reported. */
#define FORECAST_SHARE_MAX 0.75

static bool say_forecast(const struct report *report, struct advice *advice)
{
    struct forecast forecast;

    if (!forecast_make(report, &forecast) ||
        share_of(forecast.time_ns, report->elapsed_ns) > FORECAST_SHARE_MAX)
        return false;
    say(advice,
        "with %d threads instead of %d this program would take about %s instead of %s: --fit "
        "tells its runtime, and --compare tries it",
        forecast.threads_count, report->threads_count, IN_WORDS(forecast.time_ns),
        IN_WORDS(report->elapsed_ns));
    return true;
}

/* If phases are too short to be balanced, more threads than processors gain nothing. */
static void say_short(const struct report *report, struct advice *advice)
{
    const int n = report->threads_count, m = report->statistics.processors_count;

    if (n <= m || short_share(&report->statistics.choice) < 0.5)
        return;
    const struct thread_sums sums = report_sums(report);
    const double gained = 100 * (1 - (double)n / m / ceil((double)n / m));
    say(advice,
        "with %d threads instead of %d: phases are too short to be balanced by turns, and threads "
        "waited for a processor %.0f %% of their time; with one each the same work takes up to "
        "%.0f %% less",
        m, n, percent_of(sums.wait_ns, sums.life_ns), gained);
}

static void say_yielding(const struct report *report, struct advice *advice)
{
    if (report->threads_count > report->statistics.processors_count && waits_by_yielding(report))
        say(advice,
            "threads waited in sched_yield, which takes processor time: waiting that sleeps "
            "(under OpenMP OMP_WAIT_POLICY=passive) leaves it to those who work");
}

/* How to make the threads of a runtime sleep instead of spin. */
static const struct {
    const char *place, *remedy;
} spin_remedies[] = {
    {"libgomp.so", "OMP_WAIT_POLICY=passive has them sleep, GOMP_SPINCOUNT=1000 soon"},
    {"libomp", "OMP_WAIT_POLICY=passive or KMP_BLOCKTIME=0 has them sleep"},
    {"libiomp", "OMP_WAIT_POLICY=passive or KMP_BLOCKTIME=0 has them sleep"},
    {"libmpi", "see juggle --waiting, or mpirun with a rank for each processor"},
    {"", "as many threads as processors, or waiting that sleeps, leave that to those who work"},
};

static const char *spin_remedy(const char *place)
{
    size_t i = 0;

    while (strncmp(place, spin_remedies[i].place, strlen(spin_remedies[i].place)) != 0)
        i++;
    return spin_remedies[i].remedy;
}

static void say_spinning(const struct report *report, struct advice *advice)
{
    const struct spinners_statistics *spin = &report->statistics.spin;

    if (share_of(spin->spinning_count, spin->samples_count) >= SPUN_SHARE_MIN)
        say(advice,
            "while juggle did not interfere, threads spun for %.0f %% of the time, in %s: %s",
            percent_of(spin->spinning_count, spin->samples_count),
            *FOREIGN(spin->place) ? FOREIGN(spin->place) : "the program",
            spin_remedy(FOREIGN(spin->place)));
}

/* ---- balancing itself ---- */

static void say_late(const struct report *report, struct advice *advice)
{
    const int64_t waited_ns = report->statistics.waited_ns;

    if (share_of(waited_ns, report->elapsed_ns) >= CAUSE_SHARE_MIN)
        say(advice, "the threads were complete after %s of the %s: before, nobody was balanced%s",
            IN_WORDS(waited_ns), IN_WORDS(report->elapsed_ns),
            report->threads_expected ? "" : "; -n N begins as soon as N work");
}

/* The cost of nudges and of finding threads does not fall with a longer period. */
static void say_cost(const struct report *report, struct advice *advice)
{
    const int64_t turns_ns = report->statistics.balancers_cpu_ns;

    if (!report->statistics.spin.nudges_count &&
        share_of(turns_ns, report->elapsed_ns) >= CAUSE_SHARE_MIN)
        say(advice, "balancing took %.1f %% of a processor: a longer period (-p) takes less",
            percent_of(turns_ns, report->elapsed_ns));
}

void advice_make(const struct report *report, struct advice *advice)
{
    advice->count = 0;
    if (report->trouble || report->elapsed_ns < RUN_MIN_NS)
        return;
    say_causes(report, advice);
    if (!say_forecast(report, advice))
        say_short(report, advice);
    say_uneven(report, advice);
    say_yielding(report, advice);
    say_spinning(report, advice);
    say_late(report, advice);
    say_cost(report, advice);
}
