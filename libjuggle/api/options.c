/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/api/options.h"

#include <errno.h>
#include <stdio.h>

enum { THREADS_MAX = 4096 };

#define JITTER_DEFAULT 0.1

int options_refuse(struct juggle_error *error, int code, const char *message)
{
    snprintf(error->message, sizeof(error->message), "%s", message);
    return code;
}

static int names_parse(const struct juggle_options *options, struct job_options *job,
                       struct juggle_error *error)
{
    if (options->policy && policy_kind_parse(options->policy, &job->policy.kind))
        return options_refuse(error, -EINVAL,
                              "policy is none of juggle, paper, ideal, static, none");
    if (options->progress && progress_kind_parse(options->progress, &job->progress))
        return options_refuse(error, -EINVAL,
                              "progress is none of auto, taskstats, schedstat, perf");
    if (options->balancers && balancers_shape_parse(options->balancers, &job->shape))
        return options_refuse(error, -EINVAL, "balancers is none of per-processor, single");
    return 0;
}

static int options_check(const struct juggle_options *options, struct juggle_error *error)
{
    if (options->threads < 0 || options->threads > THREADS_MAX)
        return options_refuse(error, -EINVAL, "threads is not within 0 to 4096");
    if (options->margin_ns < 0)
        return options_refuse(error, -EINVAL, "margin_ns is negative");
    for (size_t i = 0; i < ARRAY_COUNT(options->reserved); i++)
        if (options->reserved[i])
            return options_refuse(error, -EINVAL, "what is reserved is not zero");
    return 0;
}

int options_convert(const struct juggle_options *options, struct job_options *job,
                    struct juggle_error *error)
{
    int failed = options_check(options, error);

    if (failed)
        return failed;
    *job = (struct job_options){
        .roots_included = true,
        .cpus = options->cpus,
        .domains = options->domains,
        .inter_domain = options->inter_domain,
        .threads_expected = options->threads,
        .idle_threads = options->idle > 0    ? options->idle
                        : options->idle == 0 ? WORKERS_IDLE_AUTO
                                             : 0,
        .idle_comm = options->idle_comm,
        .match = options->match,
        .override = options->override_pins,
        .policy =
            {
                .period_ns = options->period_ns,
                .jitter = options->jitter > 0    ? options->jitter
                          : options->jitter == 0 ? JITTER_DEFAULT
                                                 : 0,
                .margin_ns = options->margin_ns,
                .threads_max = THREADS_MAX,
            },
    };
    return names_parse(options, job, error);
}
