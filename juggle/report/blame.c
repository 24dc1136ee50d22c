/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/blame.h"

/* The times of the threads in the report: the only source if no look has seen the threads, as
 * when the service balances them. */
static struct program_times times_of_threads(const struct report *report)
{
    struct program_times times = {0};

    for (int i = 0; i < report->threads_count; i++) {
        const struct job_thread *thread = &report->threads[i];
        times.all.life_ns += thread->run_ns + thread->wait_ns + thread->blocked_ns;
        times.all.run_ns += thread->run_ns;
        times.all.wait_ns += thread->wait_ns;
    }
    times.workers = times.all;
    return times;
}

/* There are two sources. Looks cover all threads, but are rare while nothing changes. The report
 * covers only the balanced threads, but up to their end. The source that has seen more of the
 * threads' life is used. Only looks know about pins. */
static struct program_times times_of(const struct report *report)
{
    struct program_times times = times_of_threads(report);
    const struct program_times *looked = &report->statistics.times;

    if (looked->all.life_ns >= times.all.life_ns)
        return *looked;
    times.pinned = looked->pinned;
    times.pinned_cpus = looked->pinned_cpus;
    return times;
}

/* The factor that adds the time after the last look: it is assumed that threads lived and waited
 * in proportion to what they ran. */
static double seen_share(const struct report *report, const struct program_times *times)
{
    const int64_t seen_ns = times->all.run_ns;

    return seen_ns > 0 ? (double)max_i64(report->program_ns, seen_ns) / (double)seen_ns : 1;
}

static struct spent spent_of(const struct report *report, const struct program_times *times)
{
    const int64_t going_ns = max_i64(1, report->elapsed_ns - report->taken.stopped_ns);
    const double more = seen_share(report, times);

    return (struct spent){
        .elapsed_ns = report->elapsed_ns,
        .processors_count = report->statistics.processors_count,
        .threads_mean = (double)(times->workers.life_ns - times->workers.stopped_ns) * more /
                        (double)going_ns,
        .run_ns = max_i64(report->program_ns, times->all.run_ns),
        .wait_ns = (int64_t)((double)times->all.wait_ns * more),
        .stopped_ns = report->taken.stopped_ns,
        .throttled_ns = report->taken.throttled_ns,
        .throttled_share = report->taken.throttled_share,
        .steal_ns = report->taken.steal_ns,
        .others_ns = report->taken.others_ns,
        .own_ns = report->own_cpu_ns,
        .pinned_wait_ns = (int64_t)((double)times->pinned.wait_ns * more),
        .pinned_others_ns = report->taken.pinned_others_ns,
    };
}

int blame_causes(const struct report *report, struct cause causes[CAUSE_KINDS_COUNT])
{
    const struct program_times times = times_of(report);
    const struct spent spent = spent_of(report, &times);

    if (report->trouble || report->elapsed_ns < RUN_MIN_NS || !times.all.life_ns)
        return 0;
    return causes_find(&spent, causes);
}
