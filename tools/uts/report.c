/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/uts/report.h"

#include "libjuggle/cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

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
    printf(" \"search_seconds\": %.6f, \"tasks_held_max\": %" PRId64 "}\n",
           (double)steals->session_ns / NSEC_PER_SEC, steals->tasks_held_max);
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
}

int report_print(const struct settings *settings, const struct result *result)
{
    const double seconds = (double)max_i64(result->elapsed_ns, 1) / NSEC_PER_SEC;
    const double rate = (double)result->census.nodes / seconds;

    (settings->json ? report_json : report_text)(settings, result, seconds, rate);
    if (!fflush(stdout) && !ferror(stdout))
        return 0;
    complain(settings->program, "cannot write the result to stdout");
    return -EIO;
}
