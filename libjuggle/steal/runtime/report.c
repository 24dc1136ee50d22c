/* SPDX-License-Identifier: BSD-3-Clause */
/* When all ranks together did what, from counters that are kept without a trace. */
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/collection.h"
#include "libjuggle/steal/runtime/tables.h"

#include <errno.h>
#include <string.h>

_Static_assert((int)STEAL_REPORT_PARTS == (int)TIMELINE_PARTS, "a part is a part");

/* The numbers that are added up over the ranks. */
struct report_sum {
    int64_t workers;
    int64_t active_ns[TIMELINE_PARTS];
    int64_t sessions[SPECTRUM_CLASSES];
    int64_t attempts[STEAL_REPORT_DISTANCES];
};

/* When the process began, on the clock that the ranks share. */
static int64_t began_at(const struct steal_collection *collection)
{
    return collection->begin_ns - collection->runtime->begin_ns;
}

static int report_span(struct steal_collection *collection, int64_t *begin_ns, int64_t *end_ns)
{
    int64_t extremes[] = {-began_at(collection),
                          collection->ended_ns - collection->runtime->begin_ns};
    int result = ranks_max(collection->runtime, extremes, ARRAY_COUNT(extremes));

    if (result < 0)
        return result;
    *begin_ns = -extremes[0];
    *end_ns = extremes[1];
    return 0;
}

static void report_gather(const struct steal_collection *collection, int64_t begin_ns,
                          int64_t part_ns, struct report_sum *sum)
{
    memset(sum, 0, sizeof(*sum));
    sum->workers = collection->runtime->workers;
    for (int i = 0; i < sum->workers; i++) {
        const struct report_data *report_data = collection->worker_tasks[i].report_data;

        timeline_sum(&report_data->timeline, began_at(collection) - begin_ns, part_ns,
                     sum->active_ns);
        for (int class = 0; class < SPECTRUM_CLASSES; class ++)
            sum->sessions[class] += report_data->sessions[class];
    }
    memcpy(sum->attempts, collection->worker_tasks[0].report_data->attempts, sizeof(sum->attempts));
}

static void report_fill(struct steal_report *report, const struct report_sum *sum, int64_t part_ns)
{
    for (int part = 0; part < TIMELINE_PARTS; part++)
        report->occupancy[part] = (double)sum->active_ns[part] / (double)part_ns /
                                  (double)sum->workers;
    report->session_50_ns = spectrum_quantile(sum->sessions, 0.5);
    report->session_90_ns = spectrum_quantile(sum->sessions, 0.9);
    report->session_99_ns = spectrum_quantile(sum->sessions, 0.99);
    memcpy(report->attempts, sum->attempts, sizeof(sum->attempts));
}

static int report_expect(struct steal_runtime *runtime, const struct steal_report *report)
{
    const int result = runtime_need(runtime, report, "report");

    return result < 0 ? result : versioned_check(&versioned_report, report->size, runtime->message);
}

int steal_report(struct steal_collection *collection, struct steal_report *report)
{
    struct steal_runtime *runtime;
    struct report_sum sum;
    int64_t begin_ns = 0, end_ns = 0;
    int result;

    if (!collection)
        return -EINVAL;
    runtime = collection->runtime;
    result = ranks_meet(runtime, CALL_REPORT, collection->id, report_expect(runtime, report));
    if (result == 0 && runtime->transport->keeps_no_reports)
        result = runtime_fail(runtime, -EINVAL, "this transport keeps no data for steal_report()");
    if (result == 0)
        result = report_span(collection, &begin_ns, &end_ns);
    if (result < 0)
        return result;
    const int64_t part_ns = max_i64((end_ns - begin_ns + TIMELINE_PARTS - 1) / TIMELINE_PARTS, 1);
    report_gather(collection, begin_ns, part_ns, &sum);
    result = ranks_sum(runtime, (int64_t *)&sum, sizeof(sum) / sizeof(int64_t));
    if (result < 0)
        return result;
    report->elapsed_ns = end_ns - begin_ns;
    report_fill(report, &sum, part_ns);
    return 0;
}

/* ---- latencies (victim selection paper, section 3) ------------------------------------------ */

double steal_report_starting(const struct steal_report *report, double occupancy)
{
    for (int part = 0; report && part < STEAL_REPORT_PARTS; part++)
        if (report->occupancy[part] >= occupancy)
            return (double)part / STEAL_REPORT_PARTS;
    return 1;
}

double steal_report_ending(const struct steal_report *report, double occupancy)
{
    for (int part = 0; report && part < STEAL_REPORT_PARTS; part++)
        if (report->occupancy[STEAL_REPORT_PARTS - 1 - part] >= occupancy)
            return (double)part / STEAL_REPORT_PARTS;
    return 1;
}
