/* SPDX-License-Identifier: BSD-3-Clause */
#include "jugglectl/text.h"

#include "juggle/report/report.h"
#include "cli/options.h"
#include "cli/foreign.h"

#include <string.h>

static long long number(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static struct foreign foreign(const json_t *object, const char *name)
{
    const struct foreign value = {.untrusted = json_string_value(json_object_get(object, name))};

    return value.untrusted ? value : (struct foreign){"-"};
}

#define TEXT(object, name) FOREIGN(foreign(object, name))

/* Two arguments for printf: a number, and the ending of the noun behind it. */
#define COUNTED(object, name) number(object, name), plural(number(object, name))

static void print_rests(const json_t *rests, FILE *out)
{
    const json_t *rest;
    size_t i;

    json_array_foreach(rests, i, rest)
        fprintf(out, "%8lld  job%s rest%s: %s\n", COUNTED(rest, "jobs_count"),
                number(rest, "jobs_count") == 1 ? "s" : "", TEXT(rest, "reason"));
}

static void print_users(const json_t *users, FILE *out)
{
    const json_t *user;
    size_t i;

    if (json_array_size(users))
        fprintf(out, "%10s %5s %8s %8s %8s %8s %10s\n", "user", "jobs", "resting", "threads",
                "share", "refused", "throttled");
    json_array_foreach(users, i, user) fprintf(
        out, "%10lld %5lld %8lld %8lld %7.2f%% %8lld %10lld\n", number(user, "uid"),
        number(user, "jobs_count"), number(user, "resting_count"), number(user, "threads_count"),
        100 * json_number_value(json_object_get(user, "share")), number(user, "refused_count"),
        number(user, "throttled_count"));
}

void text_print_service(const json_t *service, FILE *out)
{
    fprintf(out, "juggled %s, running for %s\n", TEXT(service, "version"),
            IN_WORDS(number(service, "elapsed_ns")));
    fprintf(out, "%8lld  job%s, by %lld rule%s and by request\n", COUNTED(service, "jobs_count"),
            COUNTED(service, "rules_count"));
    fprintf(out, "%8lld  client%s; %lld refused\n", COUNTED(service, "clients_count"),
            number(service, "clients_refused_count"));
    fprintf(out, "%8lld  call%s answered\n", COUNTED(service, "calls_count"));
    fprintf(out, "%7.2f%%  of one processor used by the service\n",
            percent_of(number(service, "own_cpu_ns"), number(service, "elapsed_ns")));
    if (json_is_true(json_object_get(service, "paused")))
        fputs("  paused  nothing is balanced until 'jugglectl resume'\n", out);
    if (number(service, "throttled_count"))
        fprintf(out, "%8lld  time%s calls had to wait: answering had taken its share\n",
                COUNTED(service, "throttled_count"));
    if (number(service, "restored_count"))
        fprintf(out, "%8lld  thread%s had their masks restored after an earlier service\n",
                COUNTED(service, "restored_count"));
    print_rests(json_object_get(service, "rests"), out);
    print_users(json_object_get(service, "users"), out);
}

static void print_quota(const json_t *job, FILE *out)
{
    if (number(job, "quota_throttled_count"))
        fprintf(out, "%-24s its quota (cpu.max) was used up in %lld of %lld periods, for %s\n", "",
                number(job, "quota_throttled_count"), number(job, "quota_periods_count"),
                IN_WORDS(number(job, "quota_throttled_ns")));
}

static void print_job(const json_t *job, FILE *out)
{
    fprintf(out, "%-24s %-9s %-9s %7lld %4lld %10s %10lld %10lld %6.2f%%  %s\n", TEXT(job, "job"),
            TEXT(job, "origin"), TEXT(job, "state"), number(job, "threads_count"),
            number(job, "processors_count"), IN_WORDS(number(job, "period_ns")),
            number(job, "rounds_count"), number(job, "migrations_count"),
            percent_of(number(job, "own_cpu_ns"), number(job, "elapsed_ns")), TEXT(job, "reason"));
    print_quota(job, out);
}

void text_print_jobs(const json_t *jobs, FILE *out)
{
    size_t i;
    const json_t *job;

    fprintf(out, "%-24s %-9s %-9s %7s %4s %10s %10s %10s %7s\n", "job", "origin", "state",
            "threads", "cpus", "period", "turns", "migrations", "cost");
    json_array_foreach(jobs, i, job) print_job(job, out);
}

void text_print_threads(const json_t *threads, FILE *out)
{
    size_t i;
    const json_t *thread;

    fprintf(out, "%8s %8s %-16s %4s %-9s %10s %9s %9s %9s\n", "process", "thread", "name", "cpu",
            "state", "progress", "running", "waiting", "blocked");
    json_array_foreach(threads, i, thread)
    {
        const int64_t run_ns = number(thread, "run_ns"), wait_ns = number(thread, "wait_ns"),
                      blocked_ns = number(thread, "blocked_ns");
        const int64_t life_ns = run_ns + wait_ns + blocked_ns;
        fprintf(out, "%8lld %8lld %-16s %4lld %-9s %10s %8.1f%% %8.1f%% %8.1f%%\n",
                number(thread, "pid"), number(thread, "tid"), TEXT(thread, "comm"),
                number(thread, "cpu"),
                json_is_true(json_object_get(thread, "ended")) ? "ended" : TEXT(thread, "state"),
                IN_WORDS(number(thread, "progress_ns")), percent_of(run_ns, life_ns),
                percent_of(wait_ns, life_ns), percent_of(blocked_ns, life_ns));
    }
}

/* ---- metrics ---- */

/* A metric that is a field of a job, a user or the service. Metrics with a unit are fields in
 * ns, and are printed in seconds. */
struct metric {
    const char *field;
    const char *name;
    const char *kind;
    const char *unit;
    const char *help;
};

static const char *suffix_of(const struct metric *metric)
{
    return strcmp(metric->kind, "counter") ? "" : "_total";
}

/* OpenMetrics names a family of counters without the suffix of its samples. */
static void print_family(FILE *out, const struct metric *metric, bool open)
{
    const char *suffix = open ? "" : suffix_of(metric);

    fprintf(out, "# HELP %s%s %s\n", metric->name, suffix, metric->help);
    fprintf(out, "# TYPE %s%s %s\n", metric->name, suffix, metric->kind);
    if (open && *metric->unit)
        fprintf(out, "# UNIT %s %s\n", metric->name, metric->unit);
}

static const struct metric job_metrics[] = {
    {"threads_count", "juggle_job_threads", "gauge", "", "Threads that are balanced."},
    {"processors_count", "juggle_job_processors", "gauge", "", "Processors of the job."},
    {"period_ns", "juggle_job_period_seconds", "gauge", "seconds", "The load-balancing period."},
    {"rounds_count", "juggle_job_rounds", "counter", "", "Turns of balancing."},
    {"migrations_count", "juggle_job_migrations", "counter", "", "Threads moved."},
    {"own_cpu_ns", "juggle_job_cost_seconds", "counter", "seconds",
     "CPU time of the job's balancers."},
    {"quota_periods_count", "juggle_job_quota_periods", "counter", "",
     "Periods of its control group's quota in which the group ran."},
    {"quota_throttled_count", "juggle_job_quota_throttled", "counter", "",
     "Periods in which the quota was used up."},
    {"quota_throttled_ns", "juggle_job_quota_throttled_seconds", "counter", "seconds",
     "How long its control group had to wait for the quota."},
};

/* `labels` includes the braces, or is "". */
static void print_sample(FILE *out, const struct metric *metric, const json_t *object,
                         const char *labels)
{
    fprintf(out, "%s%s%s", metric->name, suffix_of(metric), labels);
    const json_t *value = json_object_get(object, metric->field);
    if (*metric->unit)
        fprintf(out, " %.9f\n", (double)number(object, metric->field) / (double)NSEC_PER_SEC);
    else if (json_is_boolean(value))
        fprintf(out, " %d\n", json_is_true(value));
    else if (json_is_real(value))
        fprintf(out, " %.6f\n", json_real_value(value));
    else
        fprintf(out, " %lld\n", number(object, metric->field));
}

static const struct metric service_metrics[] = {
    {"jobs_count", "juggle_jobs", "gauge", "", "Jobs that the service manages."},
    {"clients_count", "juggle_clients", "gauge", "", "Clients that are connected."},
    {"clients_refused_count", "juggle_clients_refused", "counter", "", "Clients refused."},
    {"calls_count", "juggle_calls", "counter", "", "Calls answered."},
    {"throttled_count", "juggle_calls_throttled", "counter", "", "Calls that had to wait."},
    {"restored_count", "juggle_threads_restored", "gauge", "",
     "Threads whose masks were restored after an earlier service."},
    {"paused", "juggle_paused", "gauge", "", "1 while nothing is balanced."},
    {"own_cpu_ns", "juggle_cost_seconds", "counter", "seconds", "CPU time of the service."},
};

static const struct metric user_metrics[] = {
    {"jobs_count", "juggle_user_jobs", "gauge", "", "Jobs of the user."},
    {"resting_count", "juggle_user_jobs_resting", "gauge", "",
     "Jobs of the user that are not balanced."},
    {"threads_count", "juggle_user_threads", "gauge", "", "Threads of the user that are balanced."},
    {"share", "juggle_user_share", "gauge", "",
     "Share of a processor that balancing the user's jobs may take."},
    {"refused_count", "juggle_user_refused", "counter", "",
     "Jobs and processes refused by a limit."},
    {"throttled_count", "juggle_user_calls_throttled", "counter", "", "Calls that had to wait."},
};

static const struct metric rest_metric = {"jobs_count", "juggle_jobs_resting", "gauge", "",
                                          "Jobs that are not balanced, by the reason."};

/* Formats a label. Quotes and backslashes are escaped; newlines cannot occur in foreign text. */
static const char *label(const char *name, const char *value, char *labels)
{
    char *end = labels + sprintf(labels, "{%s=\"", name);

    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            *end++ = '\\';
        *end++ = *value;
    }
    memcpy(end, "\"}", sizeof("\"}"));
    return labels;
}

enum { LABELS_SIZE = 2 * FOREIGN_TEXT_SIZE + 16 };

static const char *label_of(const json_t *object, const char *name, char labels[LABELS_SIZE])
{
    char uid[DURATION_SIZE];

    if (strcmp(name, "uid") != 0)
        return label(name, TEXT(object, name), labels);
    snprintf(uid, sizeof(uid), "%lld", number(object, name));
    return label(name, uid, labels);
}

/* Prints a family with a sample for each object of a list. The field `name` is the label. */
static void print_list(FILE *out, const struct metric *metric, const json_t *list, const char *name,
                       bool open)
{
    char labels[LABELS_SIZE];
    const json_t *object;
    size_t i;

    print_family(out, metric, open);
    json_array_foreach(list, i, object)
        print_sample(out, metric, object, label_of(object, name, labels));
}

void text_print_metrics(const json_t *service, const json_t *jobs, bool open, FILE *out)
{
    for (size_t i = 0; i < ARRAY_COUNT(service_metrics); i++) {
        print_family(out, &service_metrics[i], open);
        print_sample(out, &service_metrics[i], service, "");
    }
    for (size_t i = 0; i < ARRAY_COUNT(user_metrics); i++)
        print_list(out, &user_metrics[i], json_object_get(service, "users"), "uid", open);
    print_list(out, &rest_metric, json_object_get(service, "rests"), "reason", open);
    for (size_t i = 0; i < ARRAY_COUNT(job_metrics); i++)
        print_list(out, &job_metrics[i], jobs, "job", open);
    if (open)
        fputs("# EOF\n", out);
}
