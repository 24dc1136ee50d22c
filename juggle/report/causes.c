/* SPDX-License-Identifier: BSD-3-Clause */
/* The program could have run for min(threads, processors) times the elapsed time. What it did
 * not run of that is lost. Each cause takes the time that was measured for it, at most what the
 * causes before it have left, in this order:
 *
 *   stopped;
 *   the quota, then pins, then others: a thread that they keep from running waits in a run
 *   queue, so these three share the run-queue wait;
 *   the host, which takes a processor without making the running thread wait in a queue;
 *   blocked: the rest, without run-queue waits that no cause explains.
 *
 * Pins are to blame for the time that bound threads waited while a processor idled, and for the
 * time that they waited for each other while other programs had processors that they might have
 * shared. */
#include "juggle/report/causes.h"

#include <math.h>

/* Processor time that is lost and not explained yet, and the part of it that was spent waiting
 * in run queues. */
struct loss {
    double left_ns;
    double waited_ns;
    double times_ns[CAUSE_KINDS_COUNT];
};

static double blame(struct loss *loss, enum cause_kind kind, double time_ns)
{
    const double taken_ns = fmax(0, fmin(time_ns, loss->left_ns));

    loss->left_ns -= taken_ns;
    loss->waited_ns = fmin(loss->waited_ns, loss->left_ns);
    loss->times_ns[kind] += taken_ns;
    return taken_ns;
}

/* Like blame(), for the causes that make threads wait in run queues. */
static double blame_waits(struct loss *loss, enum cause_kind kind, double time_ns)
{
    const double waited_ns = loss->waited_ns;
    const double taken_ns = blame(loss, kind, fmin(time_ns, waited_ns));

    loss->waited_ns = fmin(waited_ns - taken_ns, loss->left_ns);
    return taken_ns;
}

/* In a period whose quota was used up, other reasons for waits before that do not count, because
 * the quota would have stopped the threads anyway. */
static double blame_quota(struct loss *loss, const struct spent *spent)
{
    return blame_waits(loss, CAUSE_QUOTA,
                       fmax((double)spent->throttled_ns, loss->waited_ns * spent->throttled_share));
}

/* Time of all processors in which no thread ran although the quota allowed it. */
static double idle_ns(const struct spent *spent, double quota_ns)
{
    const double whole_ns = (double)spent->elapsed_ns * spent->processors_count;
    const double busy_ns = (double)(spent->run_ns + spent->others_ns + spent->steal_ns +
                                    spent->own_ns);

    return fmax(0, whole_ns - busy_ns - quota_ns -
                       (double)spent->stopped_ns * spent->processors_count);
}

static void blame_pins(struct loss *loss, const struct spent *spent, double quota_ns)
{
    const double share = spent->wait_ns > 0 ? quota_ns / (double)spent->wait_ns : 0;
    const double waited_ns = (double)spent->pinned_wait_ns * fmax(0, 1 - share);
    const double beside_idle_ns = fmin(waited_ns, idle_ns(spent, quota_ns));
    const double for_each_other_ns = fmax(0, waited_ns - beside_idle_ns -
                                                 (double)spent->pinned_others_ns);
    const double elsewhere_ns = (double)(spent->others_ns - spent->pinned_others_ns);

    blame_waits(loss, CAUSE_PINS, beside_idle_ns + fmin(for_each_other_ns, elsewhere_ns));
}

/* The program's part of the time that the host took, in proportion to its part of all processor
 * time used. */
static double host_ns(const struct spent *spent)
{
    const double busy_ns = (double)(spent->run_ns + spent->others_ns + spent->own_ns);

    return busy_ns > 0 ? (double)spent->steal_ns * (double)spent->run_ns / busy_ns : 0;
}

/* The share of the run that more threads would have used. It is assumed that they would have
 * been as busy as the existing ones, and that they only get idle processors. */
static double few_threads_share(const struct spent *spent, double usable_ns, double quota_ns)
{
    const double whole_ns = (double)spent->elapsed_ns * spent->processors_count;
    const double active_ns = fmin((double)(spent->run_ns + spent->wait_ns), usable_ns);

    return fmin((whole_ns - usable_ns) * active_ns / usable_ns, idle_ns(spent, quota_ns)) /
           whole_ns;
}

static void insert(struct cause *causes, int count, struct cause cause)
{
    while (count > 0 && causes[count - 1].time_ns < cause.time_ns) {
        causes[count] = causes[count - 1];
        count--;
    }
    causes[count] = cause;
}

int causes_find(const struct spent *spent, struct cause causes[CAUSE_KINDS_COUNT])
{
    const double elapsed_ns = (double)spent->elapsed_ns;
    const double width = fmin(fmax(spent->threads_mean, 1), spent->processors_count);
    const double usable_ns = elapsed_ns * width;
    struct loss loss = {.left_ns = fmax(0, usable_ns - (double)spent->run_ns)};
    int count = 0;

    if (spent->elapsed_ns <= 0 || spent->processors_count < 1)
        return 0;
    loss.waited_ns = fmin((double)spent->wait_ns, loss.left_ns);
    blame(&loss, CAUSE_STOPPED, (double)spent->stopped_ns * width);
    const double quota_ns = blame_quota(&loss, spent);
    blame_pins(&loss, spent, quota_ns);
    blame_waits(&loss, CAUSE_OTHERS, (double)spent->others_ns);
    blame(&loss, CAUSE_HOST, host_ns(spent));
    blame(&loss, CAUSE_BLOCKED, loss.left_ns - loss.waited_ns);
    for (int kind = 0; kind < CAUSE_KINDS_COUNT; kind++) {
        const double share = kind == CAUSE_FEW_THREADS
                                 ? few_threads_share(spent, usable_ns, quota_ns)
                                 : loss.times_ns[kind] / usable_ns;
        if (share >= CAUSE_SHARE_MIN)
            insert(causes, count++,
                   (struct cause){.kind = kind, .time_ns = llround(share * elapsed_ns)});
    }
    return count;
}

const char *cause_name(enum cause_kind kind)
{
    static const char *const names[] = {
        [CAUSE_STOPPED] = "stopped",
        [CAUSE_QUOTA] = "quota",
        [CAUSE_HOST] = "host",
        [CAUSE_PINS] = "pins",
        [CAUSE_OTHERS] = "others",
        [CAUSE_BLOCKED] = "blocked",
        [CAUSE_FEW_THREADS] = "few_threads",
    };

    return names[kind];
}

/* ---- of a report ---- */

/* The times of the threads in the report: the only source if no look has seen the threads, as
 * when the service balances them. */
static struct program_times times_of_threads(const struct report *report)
{
    const struct thread_sums sums = report_sums(report);
    const struct tally_times times = {
        .life_ns = sums.life_ns, .run_ns = sums.run_ns, .wait_ns = sums.wait_ns};

    return (struct program_times){.all = times, .workers = times};
}

/* There are two sources. Looks cover all threads, but are rare while nothing changes. The report
 * covers only the balanced threads, but up to their end. The source that has seen more of the
 * threads' life is used. */
static struct program_times times_of(const struct report *report)
{
    const struct program_times times = times_of_threads(report);
    const struct program_times *looked = &report->statistics.times;

    return looked->all.life_ns >= times.all.life_ns ? *looked : times;
}

/* The factor that adds the time after the last look: it is assumed that threads lived and waited
 * in proportion to what they ran. */
static double seen_share(const struct report *report, const struct program_times *times)
{
    const int64_t seen_ns = times->all.run_ns;

    return seen_ns > 0 ? (double)max_i64(report->program_ns, seen_ns) / (double)seen_ns : 1;
}

/* Only looks know about pins. */
static void spent_bound(const struct report *report, struct spent *spent)
{
    const struct program_times *looked = &report->statistics.times;
    const double more = seen_share(report, looked);
    const int64_t run_ns = (int64_t)((double)looked->pinned.run_ns * more);

    spent->pinned_wait_ns = (int64_t)((double)looked->pinned.wait_ns * more);
    spent->pinned_others_ns = clamp_i64(report->taken.bound_busy_ns - run_ns, 0, spent->others_ns);
}

static struct spent spent_of(const struct report *report, const struct program_times *times)
{
    const int64_t going_ns = max_i64(1, report->elapsed_ns - report->taken.stopped_ns);
    const double more = seen_share(report, times);
    struct spent spent = {
        .elapsed_ns = report->elapsed_ns,
        .processors_count = report->statistics.processors_count,
        .threads_mean = (double)(times->workers.life_ns - times->workers.stopped_ns) * more /
                        (double)going_ns,
        .run_ns = max_i64(report->program_ns, times->all.run_ns),
        .wait_ns = (int64_t)((double)times->all.wait_ns * more),
        .stopped_ns = report->taken.stopped_ns,
        .throttled_ns = report->taken.throttled_ns,
        .throttled_share = share_of(report->taken.throttled_count, report->taken.periods_count),
        .steal_ns = report->taken.steal_ns,
        .others_ns = report->taken.others_ns,
        .own_ns = report->own_cpu_ns,
    };

    spent_bound(report, &spent);
    return spent;
}

int causes_of(const struct report *report, struct cause causes[CAUSE_KINDS_COUNT])
{
    const struct program_times times = times_of(report);
    const struct spent spent = spent_of(report, &times);

    if (report->trouble || report->elapsed_ns < RUN_MIN_NS || !times.all.life_ns)
        return 0;
    return causes_find(&spent, causes);
}
