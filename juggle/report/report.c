/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - numbers derived from the report: progress, prediction, spread
 * - the text: the command, the turns, the threads, the prediction, the advice */
#include "juggle/report/report.h"

#include "juggle/report/advice.h"

#include "cli/options.h"
#include "cli/foreign.h"

#include <errno.h>
#include <string.h>

/* Less than this is within the error of tick-based accounting, and is not printed. */
#define TAKEN_MIN_NS (50 * NSEC_PER_MSEC)

static int64_t per(int64_t amount, int64_t count)
{
    return count > 0 ? amount / count : 0;
}

bool report_predict(const struct report *report, struct prediction *prediction)
{
    const int64_t work_ns = report_sums(report).progress_ns +
                            report->statistics.dropped_progress_ns;
    const struct theory_case app = {
        .n = report->threads_count,
        .m = report->statistics.processors_count,
        .e_ns = per(work_ns, report->threads_count),
        .lambda_ns = report->statistics.period_ns,
        .phases = 1,
        .domains = report->statistics.domains_count,
    };

    /* If processors differ in speed, CPU time does not measure work: juggle-predict(1) has a
     * theory for them. */
    if (report->statistics.unequal)
        return false;
    return prediction_make(&app, prediction) == THEORY_HOLDS;
}

const char *report_signal(const struct report *report, char name[SIGNAL_NAME_SIZE])
{
    const char *known = sigabbrev_np(report->death_signal);

    if (!report->death_signal)
        return NULL;
    if (known)
        snprintf(name, SIGNAL_NAME_SIZE, "SIG%s", known);
    else
        snprintf(name, SIGNAL_NAME_SIZE, "signal %d", report->death_signal);
    return name;
}

/* ---- text ---- */

static void print_attached(const struct report *report, FILE *out)
{
    for (int i = 0; i < report->attached_count; i++)
        fprintf(out, "%s %d (%s)", i ? "," : " for", (int)report->attached[i].pid,
                FOREIGN(report->attached[i].comm));
}

static void print_command(const struct report *report, FILE *out)
{
    fputs("\n Juggle report", out);
    if (report->command)
        fputs(" for", out);
    for (int i = 0; report->command && report->command[i]; i++)
        fprintf(out, " %s", FOREIGN((struct foreign){report->command[i]}));
    print_attached(report, out);
    fputs(":\n\n", out);
}

static void print_elapsed(const struct report *report, FILE *out)
{
    char name[SIGNAL_NAME_SIZE];

    fprintf(out, "  %12s  elapsed", IN_WORDS(report->elapsed_ns));
    if (report->statistics.waited_ns >= 0 && !report->trouble)
        fprintf(out, ", the first %s before the threads were complete",
                IN_WORDS(report->statistics.waited_ns));
    if (report->death_signal)
        fprintf(out, "; ended by %s", report_signal(report, name));
    fputc('\n', out);
}

static void print_setting(const struct report *report, FILE *out)
{
    const struct job_statistics *statistics = &report->statistics;

    fprintf(out, "  %12d  thread%s on %d processor%s in %d domain%s\n", report->threads_count,
            plural(report->threads_count), statistics->processors_count,
            plural(statistics->processors_count), statistics->domains_count,
            plural(statistics->domains_count));
    fprintf(out, "  %12s  policy, progress from %s, %d balancer%s at %s\n",
            policy_kind_name(statistics->policy), statistics->source, statistics->balancers_count,
            plural(statistics->balancers_count), statistics->priority);
    if (report->waiting && strcmp(report->waiting, "none") != 0)
        foreign_line(out, "  %12s  by %s", "waiting", report->waiting);
    if (statistics->speeds && *statistics->speeds)
        fprintf(out, "  %12s  says how fast processors are: %s\n", statistics->capacity,
                statistics->speeds);
    print_elapsed(report, out);
}

/* Prints which periods were chosen and why, one line for each reason that occurred. */
static void print_choice(const struct period_choice *choice, int64_t rounds_count, FILE *out)
{
    static const char *const reasons[PERIOD_REASONS_COUNT] = {
        [PERIOD_LEARNED] = "suited the phases, which from barrier to barrier lately took",
        [PERIOD_BLIND] = "were short, as phases did not show",
        [PERIOD_RESTING] = "were long, as there was nothing to balance",
        [PERIOD_SHORT] = "were long, as phases are too short for turns",
        [PERIOD_SPUN] = "moved nobody, as threads spin at barriers that do not show",
    };

    for (int i = PERIOD_LEARNED; i < PERIOD_REASONS_COUNT; i++) {
        if (!choice->turns_count[i])
            continue;
        fprintf(out, "  %10.0f %%  of the periods %s%s%s\n",
                percent_of(choice->turns_count[i], rounds_count), reasons[i],
                i == PERIOD_LEARNED ? " " : "",
                i == PERIOD_LEARNED ? IN_WORDS(choice->phase_ns) : "");
    }
}

static const char *failure_words(int error)
{
    switch (error) {
    case -EBUSY:
        return "as the program chose its processors";
    case -EPERM:
        return "as it is not permitted";
    case -ENOTSUP:
        return "as it has SCHED_DEADLINE";
    case -EINVAL:
        return "as the cpuset leaves no such processor";
    }
    return strerror(-error);
}

static void print_failures(const struct job_statistics *statistics, FILE *out)
{
    fprintf(out, "; %lld failed", (long long)statistics->moves_failed_count);
    for (int i = 0; i < MOVE_ERRORS_MAX && statistics->failures.kinds[i].error; i++) {
        const int error = statistics->failures.kinds[i].error;
        const char *name = strerrorname_np(-error);
        fprintf(out, "%s %lld %s (%s)", i ? "," : ":",
                (long long)statistics->failures.kinds[i].count, failure_words(error),
                name ? name : "unknown");
    }
}

static void print_spin(const struct spinners_statistics *spin, FILE *out)
{
    if (spin->samples_count)
        fprintf(out,
                "  %10.0f %%  of its threads' time was spent spinning while juggle did not "
                "interfere%s%s\n",
                percent_of(spin->spinning_count, spin->samples_count),
                *FOREIGN(spin->place) ? ", in " : "", FOREIGN(spin->place));
    if (spin->nudges_count)
        fprintf(out, "  %12lld  times a spinning thread was made to give way\n",
                (long long)spin->nudges_count);
    if (spin->caught_count)
        fprintf(out,
                "  %12lld  times a spinning thread was caught, and let others run while it "
                "waited\n",
                (long long)spin->caught_count);
    if (spin->slept_ns > 0)
        fprintf(out, "  %12s  beside other programs, threads of OpenMP slept in their waits\n",
                IN_WORDS(spin->slept_ns));
}

static void print_turns(const struct report *report, FILE *out)
{
    const struct job_statistics *statistics = &report->statistics;
    const double elapsed_s = (double)report->elapsed_ns / (double)NSEC_PER_SEC;

    if (statistics->rounds_count == 0) {
        fprintf(out, "  %12s  turns\n", "no");
    } else {
        fprintf(out, "  %12s  period, kept at %s .. %s .. %s (least, median, greatest)\n",
                IN_WORDS(statistics->period_ns), IN_WORDS(statistics->period_min_ns),
                IN_WORDS(statistics->period_median_ns), IN_WORDS(statistics->period_max_ns));
        print_choice(&statistics->choice, statistics->rounds_count, out);
        fprintf(out, "  %12lld  turn%s\n", (long long)statistics->rounds_count,
                plural(statistics->rounds_count));
        fprintf(out, "  %12lld  migration%s, %.1f a second",
                (long long)statistics->migrations_count, plural(statistics->migrations_count),
                elapsed_s > 0 ? (double)statistics->migrations_count / elapsed_s : 0);
        if (statistics->moves_failed_count)
            print_failures(statistics, out);
        fputc('\n', out);
    }
    print_spin(&statistics->spin, out);
    fprintf(out, "  %12s  own CPU time", IN_WORDS(report->own_cpu_ns));
    if (statistics->rounds_count)
        fprintf(out, ", %.2f %% of one processor; of the balancers %s a turn",
                percent_of(report->own_cpu_ns, report->elapsed_ns),
                IN_WORDS(per(statistics->balancers_cpu_ns, statistics->rounds_count)));
    fputc('\n', out);
}

static void print_thread(const struct job_thread *thread, FILE *out)
{
    const int64_t life_ns = thread_life_ns(thread);

    fprintf(out, "  %8d %-16s", (int)thread->tid, FOREIGN(thread->comm));
    if (thread->cpu >= 0)
        fprintf(out, " %4d", thread->cpu);
    else
        fprintf(out, " %4s", "-");
    fprintf(out, " %10s %8.1f%% %8.1f%% %8.1f%%\n", IN_WORDS(thread->progress_ns),
            percent_of(thread->run_ns, life_ns), percent_of(thread->wait_ns, life_ns),
            percent_of(thread->blocked_ns, life_ns));
}

static void print_threads(const struct report *report, FILE *out)
{
    const struct thread_sums sums = report_sums(report);
    const int64_t spread_ns = sums.most_ns - sums.least_ns;

    if (report->threads_count == 0)
        return;
    fprintf(out, "\n  %8s %-16s %4s %10s %9s %9s %9s\n", "thread", "name", "cpu", "progress",
            "running", "waiting", "blocked");
    for (int i = 0; i < report->threads_count; i++)
        print_thread(&report->threads[i], out);
    if (report->statistics.threads_dropped)
        fprintf(out, "  and %lld more that computed for a while, with %s of work in all\n",
                (long long)report->statistics.threads_dropped,
                IN_WORDS(report->statistics.dropped_progress_ns));
    fprintf(out, "  spread of progress %s, %.2f %% of the mean\n", IN_WORDS(spread_ns),
            percent_of(spread_ns, per(sums.progress_ns, report->threads_count)));
}

static void print_time(FILE *out, const char *name, const struct prediction_time *time)
{
    fprintf(out, "  %12s  %s balancing%s%s\n", IN_WORDS((int64_t)time->time_ns), name,
            time->equation ? ", " : "", time->equation ? time->equation : "");
}

static void print_theory(const struct report *report, FILE *out)
{
    struct prediction prediction;

    if (!report_predict(report, &prediction))
        return;
    fputs("\n  This progress takes, by theory and here:\n", out);
    print_time(out, "static", &prediction.fixed);
    print_time(out, "reactive", &prediction.reactive);
    print_time(out, "proactive", &prediction.proactive);
    fprintf(out, "  %12s  attained\n", IN_WORDS(report->elapsed_ns));
}

static void print_part(const char *words, int64_t part_ns, FILE *out)
{
    if (part_ns >= TAKEN_MIN_NS)
        fprintf(out, "  %12s  %s\n", IN_WORDS(part_ns), words);
}

/* Printed even if it is short, because a quota withholds only a part of a period at a time. */
static void print_quota(const struct taken *taken, FILE *out)
{
    if (taken->throttled_count)
        fprintf(out,
                "  %12s  withheld by the quota of the control group, in %lld of its %lld periods\n",
                IN_WORDS(taken->throttled_ns), (long long)taken->throttled_count,
                (long long)taken->periods_count);
}

static void print_taken(const struct taken *taken, FILE *out)
{
    print_part("of processor time taken by other programs meanwhile", taken->others_ns, out);
    print_part("of processor time taken by the host (steal)", taken->steal_ns, out);
    print_quota(taken, out);
    print_part("stopped, of the time elapsed", taken->stopped_ns, out);
}

static void print_advice(const struct report *report, FILE *out)
{
    struct advice advice;

    advice_make(report, &advice);
    if (advice.count)
        fputs("\n  What limited this run, and what would help:\n", out);
    for (int i = 0; i < advice.count; i++)
        foreign_line(out, "  - %s", advice.lines[i]);
}

void report_print_text(const struct report *report, FILE *out)
{
    print_command(report, out);
    if (report->job_name)
        foreign_line(out, "  balanced by juggled, as job %s%s", report->job_name,
                     report->trouble ? ":" : "");
    if (report->trouble) {
        foreign_line(out, "  %s%s", report->job_name ? "" : "not balanced: ", report->trouble);
        print_elapsed(report, out);
        fputc('\n', out);
        return;
    }
    print_setting(report, out);
    if (report->statistics.shortfall)
        foreign_line(out, "  %s was balanced: %s", report->threads_count ? "not all" : "nothing",
                     report->statistics.shortfall);
    print_turns(report, out);
    print_threads(report, out);
    print_theory(report, out);
    print_taken(&report->taken, out);
    print_advice(report, out);
    fputc('\n', out);
}
