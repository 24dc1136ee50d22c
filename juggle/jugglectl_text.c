/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/jugglectl_text.h"

#include "libjuggle/cli/options.h"

#include <string.h>

enum { DURATION_SIZE = 32 };

#define IN_WORDS(duration_ns) duration_format(duration_ns, (char[DURATION_SIZE]){0}, DURATION_SIZE)

static int64_t number(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static const char *text(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));

    return value ? value : "-";
}

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

void text_print_service(const json_t *service, FILE *out)
{
    fprintf(out, "juggled %s, running for %s\n", text(service, "version"),
            IN_WORDS(number(service, "elapsed_ns")));
    fprintf(out, "%8lld  jobs, by %lld rules and by request\n",
            (long long)number(service, "jobs_count"), (long long)number(service, "rules_count"));
    fprintf(out, "%8lld  clients; %lld were refused\n", (long long)number(service, "clients_count"),
            (long long)number(service, "clients_refused_count"));
    fprintf(out, "%8lld  calls answered\n", (long long)number(service, "calls_count"));
    fprintf(out, "%7.2f%%  of one processor used by the service\n",
            share(number(service, "own_cpu_ns"), number(service, "elapsed_ns")));
    if (number(service, "restored_count"))
        fprintf(out, "%8lld  threads had their masks restored after an earlier service\n",
                (long long)number(service, "restored_count"));
}

void text_print_jobs(const json_t *jobs, FILE *out)
{
    size_t i;
    const json_t *job;

    fprintf(out, "%-24s %-9s %-9s %7s %4s %10s %10s %10s %7s\n", "job", "origin", "state",
            "threads", "cpus", "period", "rounds", "migrations", "cost");
    json_array_foreach(jobs, i, job) fprintf(
        out, "%-24s %-9s %-9s %7lld %4lld %10s %10lld %10lld %6.2f%%  %s\n", text(job, "job"),
        text(job, "origin"), text(job, "state"), (long long)number(job, "threads_count"),
        (long long)number(job, "processors_count"), IN_WORDS(number(job, "period_ns")),
        (long long)number(job, "rounds_count"), (long long)number(job, "migrations_count"),
        share(number(job, "own_cpu_ns"), number(job, "elapsed_ns")), text(job, "reason"));
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
                (long long)number(thread, "pid"), (long long)number(thread, "tid"),
                text(thread, "comm"), (long long)number(thread, "cpu"),
                json_is_true(json_object_get(thread, "ended")) ? "ended" : text(thread, "state"),
                IN_WORDS(number(thread, "progress_ns")), share(run_ns, life_ns),
                share(wait_ns, life_ns), share(blocked_ns, life_ns));
    }
}

/* ---- metrics ---- */

/* A metric that is a field of a job or of the service; what ends in _ns is told in seconds. */
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
    {"processors_count", "juggle_job_processors", "gauge", "", "Processors that it has."},
    {"period_ns", "juggle_job_period_seconds", "gauge", "seconds", "The load-balancing period."},
    {"rounds_count", "juggle_job_rounds", "counter", "", "Balancing rounds."},
    {"migrations_count", "juggle_job_migrations", "counter", "", "Threads moved."},
    {"own_cpu_ns", "juggle_job_cost_seconds", "counter", "seconds", "CPU time of its balancers."},
};

static void print_sample(FILE *out, const struct metric *metric, const json_t *object,
                         const char *job)
{
    fprintf(out, "%s%s", metric->name, suffix_of(metric));
    if (job)
        fprintf(out, "{job=\"%s\"}", job);
    if (*metric->unit)
        fprintf(out, " %.9f\n", (double)number(object, metric->field) / (double)NSEC_PER_SEC);
    else
        fprintf(out, " %lld\n", (long long)number(object, metric->field));
}

static const struct metric service_metrics[] = {
    {"jobs_count", "juggle_jobs", "gauge", "", "Jobs in charge."},
    {"clients_count", "juggle_clients", "gauge", "", "Clients that are connected."},
    {"clients_refused_count", "juggle_clients_refused", "counter", "", "Clients refused."},
    {"calls_count", "juggle_calls", "counter", "", "Calls answered."},
    {"own_cpu_ns", "juggle_cost_seconds", "counter", "seconds", "CPU time of the service."},
};

/* Names of jobs are digits, letters and . _ : - / alone: nothing is to be escaped. */
void text_print_metrics(const json_t *service, const json_t *jobs, bool open, FILE *out)
{
    for (size_t i = 0; i < ARRAY_COUNT(service_metrics); i++) {
        print_family(out, &service_metrics[i], open);
        print_sample(out, &service_metrics[i], service, NULL);
    }
    for (size_t i = 0; i < ARRAY_COUNT(job_metrics); i++) {
        size_t j;
        const json_t *job;
        print_family(out, &job_metrics[i], open);
        json_array_foreach(jobs, j, job) print_sample(out, &job_metrics[i], job, text(job, "job"));
    }
    if (open)
        fputs("# EOF\n", out);
}
