/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/forecast.h"

#define BUSY_SHARE_MIN  0.5
#define TAKEN_SHARE_MAX 0.1

/* The run time and work of all threads, and the work of the two threads with the most. */
struct work_sums {
    int64_t ran_ns, sum_ns, most_ns, next_ns;
};

static bool is_one_process(const struct report *report)
{
    for (int i = 1; i < report->threads_count; i++)
        if (report->threads[i].pid != report->threads[0].pid)
            return false;
    return true;
}

static struct work_sums work_of(const struct report *report)
{
    struct work_sums work = {0};

    for (int i = 0; i < report->threads_count; i++) {
        const struct job_thread *thread = &report->threads[i];
        const int64_t work_ns = (int64_t)(thread->work_share * (double)thread->run_ns);
        work.ran_ns += thread->run_ns;
        work.sum_ns += work_ns;
        work.next_ns = max_i64(work.next_ns, min_i64(work_ns, work.most_ns));
        work.most_ns = max_i64(work.most_ns, work_ns);
    }
    return work;
}

/* True if something other than the number of threads limited the run. */
static bool is_hindered(const struct report *report, int64_t ran_ns)
{
    const struct taken *taken = &report->taken;
    const int64_t all_ns = report->statistics.processors_count * report->elapsed_ns;

    return share_of(ran_ns, all_ns) < BUSY_SHARE_MIN ||
           share_of(taken->others_ns + taken->steal_ns + taken->throttled_ns, all_ns) >
               TAKEN_SHARE_MAX;
}

bool forecast_make(const struct report *report, struct forecast *forecast)
{
    const int processors_count = report->statistics.processors_count;

    if (report->threads_count <= processors_count || !is_one_process(report))
        return false;
    const struct work_sums work = work_of(report);
    if (work.sum_ns <= 0 || is_hindered(report, work.ran_ns))
        return false;
    const int64_t alone_ns = work.most_ns - work.next_ns;
    *forecast = (struct forecast){
        .threads_count = processors_count,
        .time_ns = alone_ns + (work.sum_ns - alone_ns) / processors_count,
    };
    return true;
}
