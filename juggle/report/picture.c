/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Above all errno values of the kernel. */
enum { ERRORS_MAX = 256 };

static int64_t number(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static const char *text(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));

    return value ? value : "";
}

static struct job_thread thread_of(const json_t *json)
{
    struct job_thread thread = {
        .pid = (pid_t)number(json, "pid"),
        .tid = (pid_t)number(json, "tid"),
        .cpu = (int)number(json, "cpu"),
        .ended = json_is_true(json_object_get(json, "ended")),
        .progress_ns = number(json, "progress_ns"),
        .run_ns = number(json, "run_ns"),
        .wait_ns = number(json, "wait_ns"),
        .blocked_ns = number(json, "blocked_ns"),
    };

    snprintf(thread.comm.untrusted, sizeof(thread.comm.untrusted), "%s", text(json, "comm"));
    return thread;
}

/* Reasons that are not known here are left out. */
static struct period_choice choice_of(const json_t *json)
{
    struct period_choice choice = {.phase_ns = number(json, "phase_ns")};
    const json_t *reason;
    size_t index;

    json_array_foreach(json_object_get(json, "reasons"), index, reason)
    {
        for (int i = 0; i < PERIOD_REASONS_COUNT; i++) {
            if (strcmp(text(reason, "reason"), period_reason_name(i)) != 0)
                continue;
            choice.turns_count[i] = number(reason, "rounds_count");
            choice.time_ns[i] = number(reason, "time_ns");
        }
    }
    return choice;
}

static int error_of(const char *name)
{
    for (int error = 1; error < ERRORS_MAX; error++) {
        const char *known = strerrorname_np(error);
        if (known && strcmp(name, known) == 0)
            return -error;
    }
    return 0;
}

/* Errors that are not known here are left out. */
static struct move_failures failures_of(const json_t *list)
{
    struct move_failures failures = {0};
    const json_t *failure;
    size_t index;

    json_array_foreach(list, index, failure)
    {
        const int error = error_of(text(failure, "error"));
        if (error)
            move_failures_add(&failures, error, number(failure, "count"));
    }
    return failures;
}

static struct tally_times spent_of(const json_t *json)
{
    return (struct tally_times){
        .life_ns = number(json, "life_ns"),
        .run_ns = number(json, "run_ns"),
        .wait_ns = number(json, "wait_ns"),
        .stopped_ns = number(json, "stopped_ns"),
    };
}

static struct program_times times_of(const json_t *json)
{
    struct program_times times = {
        .all = spent_of(json_object_get(json, "all")),
        .workers = spent_of(json_object_get(json, "workers")),
        .pinned = spent_of(json_object_get(json, "pinned")),
    };

    if (cpu_mask_parse(text(json, "pinned_cpus"), &times.pinned_cpus))
        cpu_mask_clear(&times.pinned_cpus);
    return times;
}

/* Returns why not all was balanced. If the job never took a turn, the service's reason for the
 * rest counts. */
static const char *shortfall_of(const json_t *job)
{
    const char *shortfall = json_string_value(json_object_get(job, "shortfall"));
    const char *reason = text(job, "reason");

    if (!shortfall && *reason && !number(job, "rounds_count"))
        return reason;
    return shortfall;
}

static struct job_statistics statistics_of(const json_t *job)
{
    struct job_statistics statistics = {
        .threads_count = (int)number(job, "threads_count"),
        .processors_count = (int)number(job, "processors_count"),
        .domains_count = (int)number(job, "domains_count"),
        .source = text(job, "source"),
        .capacity = text(job, "capacity"),
        .speeds = text(job, "speeds"),
        .unequal = json_is_true(json_object_get(job, "unequal")),
        .balancers_count = (int)number(job, "balancers_count"),
        .priority = text(job, "priority"),
        .waited_ns = number(job, "waited_ns"),
        .period_ns = number(job, "period_ns"),
        .period_min_ns = number(job, "period_min_ns"),
        .period_median_ns = number(job, "period_median_ns"),
        .period_max_ns = number(job, "period_max_ns"),
        .choice = choice_of(json_object_get(job, "period_choice")),
        .rounds_count = number(job, "rounds_count"),
        .migrations_count = number(job, "migrations_count"),
        .moves_failed_count = number(job, "moves_failed_count"),
        .failures = failures_of(json_object_get(job, "moves_failed")),
        .shortfall = shortfall_of(job),
        .times = times_of(json_object_get(job, "times")),
        .balancers_cpu_ns = number(job, "own_cpu_ns"),
        .threads_dropped = number(job, "threads_dropped"),
        .dropped_progress_ns = number(job, "dropped_progress_ns"),
    };

    /* A policy that is not known here is shown as the first. */
    if (policy_kind_parse(text(job, "policy"), &statistics.policy))
        statistics.policy = POLICY_JUGGLE;
    return statistics;
}

int picture_report(const json_t *picture, struct job_thread **threads, struct report *report)
{
    const json_t *job = json_array_get(json_object_get(picture, "jobs"), 0);
    const json_t *list = json_object_get(picture, "threads");
    const size_t count = json_array_size(list);
    struct job_thread *made = calloc(count + 1, sizeof(*made));

    if (!made)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        made[i] = thread_of(json_array_get(list, i));
    *threads = made;
    *report = (struct report){
        .elapsed_ns = number(job, "elapsed_ns"),
        .own_cpu_ns = number(job, "own_cpu_ns"),
        .statistics = statistics_of(job),
        .threads = made,
        .threads_count = (int)count,
    };
    return 0;
}
