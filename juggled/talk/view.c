/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/view.h"

#include "cli/foreign.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/wish/wish_json.h"

#include <stdlib.h>
#include <string.h>

/* A longer list of processors is left out. */
enum { CPUS_TEXT_SIZE = 512 };

static json_t *pids_to_json(const struct service_job *job)
{
    const struct process *processes;
    const int count = service_job_processes(job, &processes);
    json_t *pids = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(pids, json_integer(processes[i].pid));
    return pids;
}

static json_t *choice_to_json(const struct period_choice *choice)
{
    json_t *reasons = json_array();

    for (int i = 0; i < PERIOD_REASONS_COUNT; i++)
        json_array_append_new(reasons, json_pack("{s:s, s:I, s:I}", "reason", period_reason_name(i),
                                                 "rounds_count", (json_int_t)choice->turns_count[i],
                                                 "time_ns", (json_int_t)choice->time_ns[i]));
    return json_pack("{s:I, s:o}", "phase_ns", (json_int_t)choice->phase_ns, "reasons", reasons);
}

static json_t *failures_to_json(const struct move_failures *failures)
{
    json_t *list = json_array();

    for (int i = 0; i < MOVE_ERRORS_MAX && failures->kinds[i].error; i++) {
        const char *name = strerrorname_np(-failures->kinds[i].error);
        json_array_append_new(list, json_pack("{s:s, s:I}", "error", name ? name : "unknown",
                                              "count", (json_int_t)failures->kinds[i].count));
    }
    return list;
}

static json_t *spent_to_json(const struct tally_times *spent)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "life_ns", (json_int_t)spent->life_ns, "run_ns",
                     (json_int_t)spent->run_ns, "wait_ns", (json_int_t)spent->wait_ns, "stopped_ns",
                     (json_int_t)spent->stopped_ns);
}

static json_t *times_to_json(const struct program_times *times)
{
    char cpus[CPUS_TEXT_SIZE];

    if (cpu_mask_format(&times->pinned_cpus, cpus, sizeof(cpus)) >= CPUS_TEXT_SIZE)
        cpus[0] = '\0';
    return json_pack("{s:o, s:o, s:o, s:s}", "all", spent_to_json(&times->all), "workers",
                     spent_to_json(&times->workers), "pinned", spent_to_json(&times->pinned),
                     "pinned_cpus", cpus);
}

json_t *view_job(struct service_job *job)
{
    const struct usage_quota quota = service_job_quota(job);
    const struct foreign reason = {service_job_reason(job)};
    struct job_statistics statistics;

    service_job_statistics(job, &statistics);
    /* A job that was never balanced has no texts yet. */
    if (!statistics.source)
        statistics.source = statistics.priority = "";
    return json_pack(
        "{s:s, s:I, s:s, s:s, s:s, s:o, s:i, s:i, s:i, s:s, s:s?, s:s?, s:b, s:i, s:s, s:s, s:I, "
        "s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:o, s:s?, s:o, s:I, s:I, s:I, s:I, s:I, s:I, "
        "s:I}",
        "job", service_job_name(job), "uid", (json_int_t)service_job_uid(job), "origin",
        job_origin_name(service_job_origin(job)), "state",
        service_job_state_name(service_job_state(job)), "reason", FOREIGN(reason), "pids",
        pids_to_json(job), "threads_count", statistics.threads_count, "processors_count",
        statistics.processors_count, "domains_count", statistics.domains_count, "source",
        statistics.source, "capacity", statistics.capacity, "speeds", statistics.speeds, "unequal",
        statistics.unequal, "balancers_count", statistics.balancers_count, "priority",
        statistics.priority, "policy", policy_kind_name(statistics.policy), "waited_ns",
        (json_int_t)statistics.waited_ns, "period_ns", (json_int_t)statistics.period_ns,
        "period_min_ns", (json_int_t)statistics.period_min_ns, "period_median_ns",
        (json_int_t)statistics.period_median_ns, "period_max_ns",
        (json_int_t)statistics.period_max_ns, "period_choice", choice_to_json(&statistics.choice),
        "rounds_count", (json_int_t)statistics.rounds_count, "migrations_count",
        (json_int_t)statistics.migrations_count, "moves_failed_count",
        (json_int_t)statistics.moves_failed_count, "moves_failed",
        failures_to_json(&statistics.failures), "shortfall", statistics.shortfall, "times",
        times_to_json(&statistics.times), "threads_dropped", (json_int_t)statistics.threads_dropped,
        "dropped_progress_ns", (json_int_t)statistics.dropped_progress_ns, "own_cpu_ns",
        (json_int_t)statistics.balancers_cpu_ns, "elapsed_ns",
        (json_int_t)service_job_elapsed_ns(job, clock_now_ns()), "quota_periods_count",
        (json_int_t)quota.periods_count, "quota_throttled_count", (json_int_t)quota.throttled_count,
        "quota_throttled_ns", (json_int_t)quota.throttled_ns);
}

static const char *const state_names[] = {
    [THREAD_RUNNING] = "running",
    [THREAD_BLOCKED] = "blocked",
    [THREAD_YIELDING] = "yielding",
};

static json_t *thread_to_json(const struct job_thread *thread)
{
    return json_pack("{s:i, s:i, s:s, s:i, s:b, s:s, s:I, s:I, s:I, s:I}", "pid", (int)thread->pid,
                     "tid", (int)thread->tid, "comm", FOREIGN(thread->comm), "cpu", thread->cpu,
                     "ended", thread->ended, "state", state_names[thread->state], "progress_ns",
                     (json_int_t)thread->progress_ns, "run_ns", (json_int_t)thread->run_ns,
                     "wait_ns", (json_int_t)thread->wait_ns, "blocked_ns",
                     (json_int_t)thread->blocked_ns);
}

json_t *view_threads(const struct service_job *job)
{
    int count;
    struct job_thread *threads = service_job_threads(job, &count);
    json_t *json = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(json, thread_to_json(&threads[i]));
    free(threads);
    return json;
}

json_t *view_ignored(const struct service_job *job, const struct wish *wish)
{
    json_t *wanted = wish_to_json(wish), *taken = wish_to_json(service_job_wish(job));
    json_t *ignored = json_array();
    const char *name;
    json_t *value;

    json_object_foreach(wanted, name, value)
    {
        if (!json_equal(value, json_object_get(taken, name)))
            json_array_append_new(ignored, json_string(name));
    }
    json_decref(wanted);
    json_decref(taken);
    return ignored;
}
