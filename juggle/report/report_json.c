/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/report.h"

#include "cli/foreign.h"
#include "juggle/report/advice.h"
#include "juggle/report/causes.h"
#include "juggle/report/forecast.h"
#include "juggle/report/text_json.h"

#include <string.h>

static json_t *attached_to_json(const struct report *report)
{
    json_t *list = json_array();

    for (int i = 0; i < report->attached_count; i++)
        json_array_append_new(list, json_pack("{s:i, s:s}", "pid", (int)report->attached[i].pid,
                                              "comm", FOREIGN(report->attached[i].comm)));
    return list;
}

static json_t *thread_to_json(const struct job_thread *thread)
{
    return json_pack("{s:i, s:i, s:s, s:i, s:b, s:I, s:I, s:I, s:I}", "pid", (int)thread->pid,
                     "tid", (int)thread->tid, "comm", FOREIGN(thread->comm), "cpu", thread->cpu,
                     "ended", thread->ended, "run_ns", (json_int_t)thread->run_ns, "wait_ns",
                     (json_int_t)thread->wait_ns, "blocked_ns", (json_int_t)thread->blocked_ns,
                     "progress_ns", (json_int_t)thread->progress_ns);
}

static json_t *threads_to_json(const struct report *report)
{
    json_t *threads = json_array();

    for (int i = 0; i < report->threads_count; i++)
        json_array_append_new(threads, thread_to_json(&report->threads[i]));
    return threads;
}

static json_t *theory_to_json(const struct report *report)
{
    struct prediction prediction;

    if (!report_predict(report, &prediction))
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I}", "static_ns", (json_int_t)prediction.fixed.time_ns,
                     "reactive_ns", (json_int_t)prediction.reactive.time_ns, "proactive_ns",
                     (json_int_t)prediction.proactive.time_ns, "attained_ns",
                     (json_int_t)report->elapsed_ns);
}

static json_t *forecast_to_json(const struct report *report)
{
    struct forecast forecast;

    if (!forecast_make(report, &forecast))
        return json_null();
    return json_pack("{s:i, s:I}", "threads_count", forecast.threads_count, "time_ns",
                     (json_int_t)forecast.time_ns);
}

static json_t *choice_to_json(const struct period_choice *choice)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I}", "phase_ns", (json_int_t)choice->phase_ns, "learned_count",
        (json_int_t)choice->turns_count[PERIOD_LEARNED], "blind_count",
        (json_int_t)choice->turns_count[PERIOD_BLIND], "resting_count",
        (json_int_t)(choice->turns_count[PERIOD_RESTING] + choice->turns_count[PERIOD_SHORT]),
        "spun_count", (json_int_t)choice->turns_count[PERIOD_SPUN]);
}

static json_t *run_to_json(const struct report *report)
{
    char name[SIGNAL_NAME_SIZE];
    const char *trouble = report->trouble ? report->trouble : report->statistics.shortfall;
    const struct thread_sums sums = report_sums(report);

    return json_pack("{s:o, s:i, s:s?, s:s?, s:o, s:o, s:i, s:I, s:I, s:I}", "command",
                     words_to_json(report->command), "exit_status", report->exit_status, "signal",
                     report_signal(report, name), "job", report->job_name, "trouble",
                     text_to_json(trouble), "waiting", text_to_json(report->waiting),
                     "threads_count", report->threads_count, "elapsed_ns",
                     (json_int_t)report->elapsed_ns, "own_cpu_ns", (json_int_t)report->own_cpu_ns,
                     "spread_ns", (json_int_t)(sums.most_ns - sums.least_ns));
}

/* Null if there is no quota. */
static json_t *quota_to_json(const struct taken *taken)
{
    if (!taken->limited)
        return json_null();
    return json_pack("{s:I, s:I, s:I}", "periods_count", (json_int_t)taken->periods_count,
                     "throttled_count", (json_int_t)taken->throttled_count, "throttled_ns",
                     (json_int_t)taken->throttled_ns);
}

static json_t *taken_to_json(const struct taken *taken)
{
    return json_pack("{s:o, s:I, s:{s:I, s:I, s:I}, s:I}", "quota", quota_to_json(taken),
                     "stolen_ns",
                     (json_int_t)(taken->others_ns + taken->steal_ns + taken->throttled_ns),
                     "stolen", "others_ns", (json_int_t)taken->others_ns, "steal_ns",
                     (json_int_t)taken->steal_ns, "throttled_ns", (json_int_t)taken->throttled_ns,
                     "stopped_ns", (json_int_t)taken->stopped_ns);
}

static json_t *advice_to_json(const struct report *report)
{
    json_t *lines = json_array();
    struct advice advice;

    advice_make(report, &advice);
    for (int i = 0; i < advice.count; i++)
        json_array_append_new(lines, text_to_json(advice.lines[i]));
    return lines;
}

static json_t *causes_to_json(const struct report *report)
{
    struct cause causes[CAUSE_KINDS_COUNT];
    const int count = causes_of(report, causes);
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:f}", "cause", cause_name(causes[i].kind),
                                        "time_ns", (json_int_t)causes[i].time_ns, "share",
                                        (double)causes[i].time_ns / (double)report->elapsed_ns));
    return list;
}

static json_t *failures_to_json(const struct move_failures *failures)
{
    json_t *json = json_object();

    for (int i = 0; i < MOVE_ERRORS_MAX && failures->kinds[i].error; i++) {
        const char *name = strerrorname_np(-failures->kinds[i].error);
        json_object_set_new(json, name ? name : "unknown",
                            json_integer((json_int_t)failures->kinds[i].count));
    }
    return json;
}

static json_t *setting_to_json(const struct job_statistics *statistics)
{
    return json_pack("{s:i, s:i, s:s, s:s?, s:s?, s:s?, s:i, s:s?}", "processors_count",
                     statistics->processors_count, "domains_count", statistics->domains_count,
                     "policy", policy_kind_name(statistics->policy), "source", statistics->source,
                     "capacity", statistics->capacity, "speeds", statistics->speeds,
                     "balancers_count", statistics->balancers_count, "priority",
                     statistics->priority);
}

/* The share is null if no thread was sampled. */
static json_t *spin_to_json(const struct spinners_statistics *spin)
{
    json_t *seen = spin->samples_count > 0
                       ? json_real((double)spin->spinning_count / (double)spin->samples_count)
                       : json_null();

    return json_pack("{s:o, s:o, s:I, s:I, s:I}", "share", seen, "place",
                     *FOREIGN(spin->place) ? text_to_json(FOREIGN(spin->place)) : json_null(),
                     "nudges_count", (json_int_t)spin->nudges_count, "caught_count",
                     (json_int_t)spin->caught_count, "slept_ns", (json_int_t)spin->slept_ns);
}

static json_t *rounds_to_json(const struct job_statistics *statistics)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:o, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "waited_ns",
        (json_int_t)statistics->waited_ns, "period_ns", (json_int_t)statistics->period_ns,
        "period_min_ns", (json_int_t)statistics->period_min_ns, "period_median_ns",
        (json_int_t)statistics->period_median_ns, "period_max_ns",
        (json_int_t)statistics->period_max_ns, "period_choice", choice_to_json(&statistics->choice),
        "resting_share", period_choice_resting_share(&statistics->choice), "rounds_count",
        (json_int_t)statistics->rounds_count, "migrations_count",
        (json_int_t)statistics->migrations_count, "moves_failed_count",
        (json_int_t)statistics->moves_failed_count, "balancers_cpu_ns",
        (json_int_t)statistics->balancers_cpu_ns, "threads_dropped",
        (json_int_t)statistics->threads_dropped, "dropped_progress_ns",
        (json_int_t)statistics->dropped_progress_ns, "spin", spin_to_json(&statistics->spin));
}

static json_t *report_to_json(const struct report *report)
{
    json_t *json = run_to_json(report);
    int error = json_object_update_new(json, setting_to_json(&report->statistics));

    error |= json_object_update_new(json, rounds_to_json(&report->statistics));
    error |= json_object_update_new(json, taken_to_json(&report->taken));
    error |= json_object_set_new(json, "attached", attached_to_json(report));
    error |= json_object_set_new(json, "moves_failed",
                                 failures_to_json(&report->statistics.failures));
    error |= json_object_set_new(json, "causes", causes_to_json(report));
    error |= json_object_set_new(json, "advice", advice_to_json(report));
    error |= json_object_set_new(json, "theory", theory_to_json(report));
    error |= json_object_set_new(json, "forecast", forecast_to_json(report));
    error |= json_object_set_new(json, "threads", threads_to_json(report));
    if (!error)
        return json;
    json_decref(json);
    return NULL;
}

int report_print_json(const struct report *report, FILE *out)
{
    return json_print(report_to_json(report), out);
}
