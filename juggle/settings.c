/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/settings.h"

#include "juggle/trace.h"
#include "libjuggle/join/name.h"
#include "libjuggle/cli/options.h"

#include <errno.h>
#include <string.h>

enum { THREADS_MAX = 4096 };

/* That a trace has no other formats is known before the program runs. */
static int option_trace(const char *text, void *target, const char **expected)
{
    *expected = "a file name that ends in .json or .csv";
    if (!trace_knows(text))
        return -EINVAL;
    *(const char **)target = text;
    return 0;
}

#define JITTER_DEFAULT 0.1

static int option_threads(const char *text, void *target, const char **expected)
{
    const char *ignored;

    int count = 0;

    *expected = "a whole number from 1 to 4096, or auto";
    if (strcmp(text, "auto")) {
        int error = option_count(text, &count, &ignored);
        if (error)
            return error;
        if (count > THREADS_MAX)
            return -ERANGE;
    }
    *(int *)target = count;
    return 0;
}

static int option_period(const char *text, void *target, const char **expected)
{
    const char *ignored;
    int64_t period_ns = 0;

    *expected = "a duration from 1ms to 100ms, or auto";
    if (strcmp(text, "auto")) {
        int error = option_duration(text, &period_ns, &ignored);
        if (error)
            return error;
        if (period_ns < PERIOD_MIN_NS || period_ns > PERIOD_MAX_NS)
            return -ERANGE;
    }
    *(int64_t *)target = period_ns;
    return 0;
}

static int option_progress(const char *text, void *target, const char **expected)
{
    *expected = "auto, taskstats, schedstat or perf";
    return progress_kind_parse(text, target);
}

static int option_policy(const char *text, void *target, const char **expected)
{
    *expected = "juggle, paper, ideal, static or none";
    return policy_kind_parse(text, target);
}

static int option_balancers(const char *text, void *target, const char **expected)
{
    *expected = "per-processor or single";
    return balancers_shape_parse(text, target);
}

static int option_report(const char *text, void *target, const char **expected)
{
    static const char *const names[] = {
        [REPORT_TEXT] = "text",
        [REPORT_JSON] = "json",
        [REPORT_NONE] = "none",
    };

    *expected = "text, json or none";
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (strcmp(text, names[i]))
            continue;
        *(enum report_format *)target = (enum report_format)i;
        return 0;
    }
    return -EINVAL;
}

static int option_live(const char *text, void *target, const char **expected)
{
    *expected = "the path of a terminal, such as /dev/pts/3";
    *(const char **)target = text ? text : "";
    return 0;
}

static int option_join(const char *text, void *target, const char **expected)
{
    *expected = "1 to 40 letters, digits or any of . _ : -";
    if (text && !join_name_is_right(text))
        return -EINVAL;
    *(const char **)target = text ? text : "";
    return 0;
}

static int option_service(const char *text, void *target, const char **expected)
{
    static const char *const names[] = {
        [SERVICE_AUTO] = "auto",
        [SERVICE_NEVER] = "never",
        [SERVICE_ALWAYS] = "always",
    };

    *expected = "auto, never or always";
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (strcmp(text, names[i]))
            continue;
        *(enum service_use *)target = (enum service_use)i;
        return 0;
    }
    return -EINVAL;
}

#define AT(member) offsetof(struct settings, member)

static const struct option_spec options[] = {
    {"threads", 'n', "N|auto", "balance once N workers are there; auto: whatever is there",
     option_threads, AT(job.threads_expected)},
    {"cpus", 'c', "LIST", "the processors to use, such as 0-3,8 (all that are allowed)",
     option_string, AT(job.cpus)},
    {"period", 'p', "TIME|auto", "the load-balancing period, 1ms to 100ms (auto)", option_period,
     AT(job.policy.period_ns)},
    {"jitter", 0, "SHARE", "vary the period at random by so much (10%)", option_fraction,
     AT(job.policy.jitter)},
    {"margin", 0, "TIME", "a thread is behind if below the average progress plus this (0)",
     option_duration, AT(job.policy.margin_ns)},
    {"domains", 0, "LISTS", "balance within these, such as '0-3;4-7' (the NUMA nodes)",
     option_string, AT(job.domains)},
    {"inter-domain", 0, NULL, "balance across all domains", option_flag, AT(job.inter_domain)},
    {"follow-memory", 0, NULL, "with --inter-domain: memory follows processes that have moved",
     option_flag, AT(job.follow_memory)},
    {"progress", 0, "SOURCE", "auto, taskstats, schedstat or perf (auto)", option_progress,
     AT(job.progress)},
    {"policy", 0, "NAME", "juggle, paper, ideal, static or none (juggle)", option_policy,
     AT(job.policy.kind)},
    {"balancers", 0, "SHAPE", "per-processor or single (per-processor)", option_balancers,
     AT(job.shape)},
    {"idle", 0, "N", "set N threads aside, those that hardly run (found by themselves)",
     option_number, AT(job.idle_threads)},
    {"idle-comm", 0, "PATTERN", "set threads with such a name aside", option_string,
     AT(job.idle_comm)},
    {"match", 0, "PATTERN", "balance only threads with such a name", option_string, AT(job.match)},
    {"override", 0, NULL, "balance threads that the program has pinned, too", option_flag,
     AT(job.override)},
    {"attach", 0, "PID...", "balance running programs and let go on Ctrl-C", option_string,
     AT(pids)},
    {"report", 0, "FORMAT", "text, json or none at the end (text)", option_report, AT(report)},
    {"output", 'o', "FILE", "where the report goes (stderr)", option_string, AT(report_path)},
    {"trace", 0, "FILE", "who ran where: .json for Chrome and Perfetto, .csv", option_trace,
     AT(trace_path)},
    {"record", 0, "FILE", "all that was seen and decided, for juggle-sim to replay", option_string,
     AT(record_path)},
    {"live", 0, "[=TTY]", "show threads and cost each second on the terminal", option_live,
     AT(live_tty)},
    {"verbose", 'v', NULL, "say which threads come and go", option_flag, AT(verbose)},
    {"quiet", 'q', NULL, "no report and no remarks, only errors", option_flag, AT(quiet)},
    {"dry-run", 0, NULL, "show processors, first placement, source and privileges; run nothing",
     option_flag, AT(dry_run)},
    {"join", 0, "[=NAME]", "join the job of this node instead, then become the command",
     option_join, AT(join)},
    {"service", 0, "WHEN", "let juggled balance: auto, never or always (auto)", option_service,
     AT(service)},
    {"strict", 0, NULL, "do not run a program that cannot be balanced", option_flag, AT(strict)},
    {0},
};

static const struct command_spec command = {
    .name = "juggle",
    .synopsis = "[options] [--] command [arguments]\n       juggle [options] --attach PID...\n     "
                "  juggle [options] --join[=NAME] [--] command [arguments]",
    .summary = "Runs a program and makes its threads progress at the same rate.",
    .environment_prefix = "JUGGLE_",
    .stop_at_operand = true,
    .options = options,
};

static const struct settings defaults = {
    .job =
        {
            .idle_threads = WORKERS_IDLE_AUTO,
            .progress = PROGRESS_AUTO,
            .policy =
                {
                    .kind = POLICY_JUGGLE,
                    .jitter = JITTER_DEFAULT,
                    .threads_max = THREADS_MAX,
                },
        },
    .report = REPORT_TEXT,
};

static int complain_usage(const char *problem)
{
    complain(command.name, "%s: see 'juggle --help'", problem);
    return -EINVAL;
}

static int settings_check(const struct settings *settings, bool has_operand)
{
    if (!settings->pids && !has_operand && !settings->dry_run)
        return complain_usage("no command to run");
    if (settings->job.follow_memory && !settings->job.inter_domain)
        return complain_usage("--follow-memory needs --inter-domain");
    if (settings->job.domains && settings->job.inter_domain)
        return complain_usage("--domains and --inter-domain exclude each other");
    if (settings->join && (settings->pids || settings->dry_run))
        return complain_usage("--join excludes --attach and --dry-run");
    if (settings->pids && settings->dry_run)
        return complain_usage("--attach and --dry-run exclude each other");
    return 0;
}

int settings_read(int argc, char **argv, struct settings *settings, int *operands, int *exit_status)
{
    struct settings made = defaults;
    int error = options_parse(&command, argc, argv, &made, operands, exit_status);

    if (error)
        return error;
    error = settings_check(&made, *operands < argc);
    if (error) {
        *exit_status = EXIT_USAGE;
        return error;
    }
    if (made.quiet && !made.report_path)
        made.report = REPORT_NONE;
    *settings = made;
    return 0;
}
