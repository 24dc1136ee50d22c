/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/uts/report.h"

#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* Occupancies that are reported, in percent. */
static const int levels[] = {10, 50, 90};

static double session_mean_s(const struct steal_statistics *steals)
{
    return (double)steals->session_ns / NSEC_PER_SEC / (double)max_i64(steals->sessions, 1);
}

static double stealing_share(const struct steal_statistics *steals)
{
    int64_t sum_ns = 0;

    for (int state = 0; state < STEAL_STATE_COUNT; state++)
        sum_ns += steals->state_ns[state];
    return (double)(steals->state_ns[STEAL_STATE_SEARCHING] +
                    steals->state_ns[STEAL_STATE_ANSWERING]) /
           (double)max_i64(sum_ns, 1);
}

static void json_latencies(const char *name,
                           double (*latency)(const struct steal_report *report, double occupancy),
                           const struct steal_report *report)
{
    printf(" \"%s\": {", name);
    for (size_t i = 0; i < ARRAY_COUNT(levels); i++)
        printf("%s\"%d\": %.4f", i > 0 ? ", " : "", levels[i], latency(report, levels[i] / 100.0));
    printf("}");
}

static void json_details(const struct result *result)
{
    const struct steal_report *report = &result->report;

    printf(",\n \"session_50_s\": %.9f, \"session_90_s\": %.9f, \"session_99_s\": %.9f,\n",
           (double)report->session_50_ns / NSEC_PER_SEC,
           (double)report->session_90_ns / NSEC_PER_SEC,
           (double)report->session_99_ns / NSEC_PER_SEC);
    printf(" \"stealing_share\": %.6f, \"span_s\": %.9f,\n \"attempts_by_distance\": [",
           stealing_share(&result->statistics), (double)report->elapsed_ns / NSEC_PER_SEC);
    for (int i = 0; i < STEAL_REPORT_DISTANCES; i++)
        printf("%s%" PRId64, i > 0 ? ", " : "", report->attempts[i]);
    printf("],\n \"occupancy\": [");
    for (int part = 0; part < STEAL_REPORT_PARTS; part++)
        printf("%s%.4f", part > 0 ? "," : "", report->occupancy[part]);
    printf("]");
}

static void report_json(const struct settings *settings, const struct result *result,
                        double seconds, double rate)
{
    const struct steal_statistics *steals = &result->statistics;

    printf("{\"nodes\": %" PRId64 ", \"depth\": %" PRId64 ", \"leaves\": %" PRId64 ",\n",
           result->census.nodes, result->census.depth, result->census.leaves);
    printf(" \"seconds\": %.6f, \"nodes_per_s\": %.0f, \"hash\": \"%s\",\n", seconds, rate,
           settings->hasher->name);
    printf(" \"ranks\": %d, \"threads\": %d,\n", result->ranks_count, result->threads_count);
    printf(" \"steals_attempted\": %" PRId64 ", \"steals_successful\": %" PRId64
           ", \"tasks_moved\": %" PRId64 ", \"shares\": %" PRId64 ",\n",
           steals->steals_attempted, steals->steals_successful, steals->tasks_taken,
           steals->shares);
    printf(" \"search_seconds\": %.6f, \"tasks_held_max\": %" PRId64 ",\n",
           (double)steals->session_ns / NSEC_PER_SEC, steals->tasks_held_max);
    printf(" \"sessions_count\": %" PRId64 ", \"session_mean_s\": %.9f,\n", steals->sessions,
           session_mean_s(steals));
    printf(" \"requests_failed\": %" PRId64 ", \"lifeline_deals\": %" PRId64 ",\n",
           steals->steals_failed, steals->deals);
    json_latencies("sl", steal_report_starting, &result->report);
    printf(",");
    json_latencies("el", steal_report_ending, &result->report);
    if (settings->detailed)
        json_details(result);
    printf("}\n");
}

static void text_details(const struct result *result)
{
    const struct steal_statistics *steals = &result->statistics;
    const struct steal_report *report = &result->report;

    printf("%" PRId64 " sessions of %.3f ms in the mean; 50, 90, 99 %% within %.3f, %.3f, %.3f ms; "
           "%.2f %% of the time\n",
           steals->sessions, session_mean_s(steals) * 1e3, (double)report->session_50_ns / 1e6,
           (double)report->session_90_ns / 1e6, (double)report->session_99_ns / 1e6,
           100 * stealing_share(steals));
    printf("%" PRId64 " requests in vain, %" PRId64 " deals over lifelines\n",
           steals->steals_failed, steals->deals);
    for (size_t i = 0; i < ARRAY_COUNT(levels); i++)
        printf("%d %% of the workers had tasks from %.2f %% of the time on, until %.2f %% before "
               "the end\n",
               levels[i], 100 * steal_report_starting(report, levels[i] / 100.0),
               100 * steal_report_ending(report, levels[i] / 100.0));
    printf("requests by distance (0, to 1, 2, 4, ...):");
    for (int i = 0; i < STEAL_REPORT_DISTANCES; i++)
        printf(" %" PRId64, report->attempts[i]);
    printf("\n");
}

static void report_text(const struct settings *settings, const struct result *result,
                        double seconds, double rate)
{
    const struct steal_statistics *steals = &result->statistics;

    printf("%" PRId64 " nodes, depth %" PRId64 ", %" PRId64 " leaves\n", result->census.nodes,
           result->census.depth, result->census.leaves);
    printf("%.3f s, %.1f million nodes/s, hashed by %s\n", seconds, rate / 1e6,
           settings->hasher->name);
    if (settings->sequential)
        return;
    printf("%d ranks, %d searching threads\n", result->ranks_count, result->threads_count);
    printf("%" PRId64 " of %" PRId64 " steals successful, %" PRId64
           " tasks moved, %.3f s of searching for work\n",
           steals->steals_successful, steals->steals_attempted, steals->tasks_taken,
           (double)steals->session_ns / NSEC_PER_SEC);
    if (settings->detailed)
        text_details(result);
}

int result_print(const struct settings *settings, const struct result *result)
{
    const double seconds = (double)max_i64(result->elapsed_ns, 1) / NSEC_PER_SEC;
    const double rate = (double)result->census.nodes / seconds;

    (settings->json ? report_json : report_text)(settings, result, seconds, rate);
    return stdout_finish(settings->program);
}
