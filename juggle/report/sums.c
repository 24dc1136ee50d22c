/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/report.h"

struct thread_sums report_sums(const struct report *report)
{
    struct thread_sums sums = {0};

    for (int i = 0; i < report->threads_count; i++) {
        const struct job_thread *thread = &report->threads[i];
        const int64_t progress_ns = thread->progress_ns;
        sums.run_ns += thread->run_ns;
        sums.wait_ns += thread->wait_ns;
        sums.life_ns += thread_life_ns(thread);
        sums.progress_ns += progress_ns;
        sums.least_ns = i ? min_i64(sums.least_ns, progress_ns) : progress_ns;
        sums.most_ns = max_i64(sums.most_ns, progress_ns);
        sums.slices_count += thread->slices_count;
    }
    return sums;
}
