/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/ubench/report.h"

#include "cli/options.h"
#include "libjuggle/linux/clock.h"

#include <inttypes.h>
#include <string.h>

void report_calibration(const struct settings *settings)
{
    if (settings->json)
        printf("{\"phase_length_ns\": %" PRId64 ", \"iterations\": %" PRIu64 "}\n",
               settings->phase_ns, settings->iterations);
    else
        printf("%" PRIu64 " iterations take %s on a dedicated processor\n", settings->iterations,
               IN_WORDS(settings->phase_ns));
}

static void print_spread(const char *name, const struct spread *spread, const char *note)
{
    printf("%-6s min %s, median %s, max %s%s\n", name, IN_WORDS(spread->min_ns),
           IN_WORDS(spread->median_ns), IN_WORDS(spread->max_ns), note);
}

static void print_text(const struct settings *settings, const struct attendance_summary *summary)
{
    printf("%d members, %d phases of %" PRIu64 " iterations, %s\n", settings->members_count,
           settings->phases_count, settings->iterations, settings->exchange);
    print_spread("phase", &summary->phase, "");
    print_spread("work", &summary->work, " of CPU time per member and phase");
    printf("total  %s\n", IN_WORDS(summary->elapsed_ns));
}

static void print_json_spread(const char *name, const struct spread *spread)
{
    printf(" \"%s\": {\"min\": %" PRId64 ", \"median\": %" PRId64 ", \"max\": %" PRId64 "},\n",
           name, spread->min_ns, spread->median_ns, spread->max_ns);
}

static void print_json(const struct settings *settings, const struct attendance_summary *summary,
                       int64_t cpu_ns)
{
    printf("{\"threads_count\": %d,\n \"phases_count\": %d,\n \"iterations\": %" PRIu64 ",\n",
           settings->members_count, settings->phases_count, settings->iterations);
    printf(" \"barrier\": \"%s\",\n", settings->exchange);
    print_json_spread("phase_ns", &summary->phase);
    print_json_spread("work_ns", &summary->work);
    printf(" \"elapsed_ns\": %" PRId64 ",\n \"cpu_ns\": %" PRId64 ",\n \"phases_ns\": [",
           summary->elapsed_ns, cpu_ns);
    for (int phase = 0; phase < settings->phases_count; phase++)
        printf("%s%" PRId64, phase ? ", " : "", summary->phase_ns[phase]);
    puts("]}");
}

int64_t report_cpu_time_ns(void)
{
    return clock_used_ns(RUSAGE_SELF) + clock_used_ns(RUSAGE_CHILDREN);
}

int report_run(const struct settings *settings, const struct attendance *attendance, int64_t cpu_ns)
{
    struct attendance_summary summary;
    const int error = attendance_summarize(attendance, &summary);

    if (error) {
        complain(settings->program, "no memory for the summary: %s", strerror(-error));
        return error;
    }
    if (settings->json)
        print_json(settings, &summary, cpu_ns);
    else
        print_text(settings, &summary);
    attendance_summary_destroy(&summary);
    return stdout_finish(settings->program);
}
