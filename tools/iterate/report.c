/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/report.h"

#include "cli/options.h"
#include "libjuggle/ground/units.h"

#include <errno.h>
#include <inttypes.h>

static void print_json(const struct application *application, const struct iterate_options *options,
                       const struct run *run, const struct application_result *outcome)
{
    printf("{\"scheme\": \"%s\", \"ranks\": %d, \"workers\": %d, \"tasks_count\": %" PRId64
           ", \"%s\": %.*f,\n \"iterations\": [",
           options->scheme_name, run->ranks_count, run->workers_count, application->tasks_count,
           outcome->name, outcome->decimals, outcome->value);
    for (int i = 0; i < run->iterations_count; i++) {
        const struct iteration *iteration = &run->iteration[i];

        printf("%s\n  {\"time_s\": %.6f, \"efficiency\": %.4f, \"imbalance\": %.4f, "
               "\"predicted_imbalance\": %.4f, \"steals_attempted\": %" PRId64
               ", \"steals_successful\": %" PRId64 ", \"tasks_moved\": %" PRId64
               ", \"balance_s\": %.6f}",
               i > 0 ? "," : "", iteration->time_s, iteration->efficiency, iteration->imbalance,
               iteration->predicted_imbalance, iteration->steals_attempted,
               iteration->steals_successful, iteration->tasks_moved, iteration->balance_s);
    }
    printf("]}\n");
}

static void print_text(const struct application *application, const struct iterate_options *options,
                       const struct run *run, const struct application_result *outcome)
{
    printf("%" PRId64 " task%s, %d rank%s, scheme %s\n", application->tasks_count,
           plural(application->tasks_count), run->ranks_count, plural(run->ranks_count),
           options->scheme_name);
    printf("iteration    time s  efficiency  imbalance  predicted  steals tried    done  moved  "
           "balancing s\n");
    for (int i = 0; i < run->iterations_count; i++) {
        const struct iteration *iteration = &run->iteration[i];

        printf("%9d %9.4f %11.3f %10.3f %10.3f %13" PRId64 " %7" PRId64 " %6" PRId64 " %12.4f\n",
               i + 1, iteration->time_s, iteration->efficiency, iteration->imbalance,
               iteration->predicted_imbalance, iteration->steals_attempted,
               iteration->steals_successful, iteration->tasks_moved, iteration->balance_s);
    }
    printf("%s %.*f\n", outcome->name, outcome->decimals, outcome->value);
}

int report_print(const struct application *application, const struct iterate_options *options,
                 const struct run *run, const struct application_result *outcome)
{
    (options->json ? print_json : print_text)(application, options, run, outcome);
    return stdout_finish(application->program);
}

int report_dry_run(const struct application *application, bool json)
{
    if (json)
        printf("{\"tasks_count\": %" PRId64 "}\n", application->tasks_count);
    else
        printf("%" PRId64 " task%s\n", application->tasks_count, plural(application->tasks_count));
    return stdout_finish(application->program);
}
