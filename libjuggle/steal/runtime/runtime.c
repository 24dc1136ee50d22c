/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/runtime.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/survey.h"
#include "libjuggle/steal/runtime/team.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int runtime_fail(struct steal_runtime *runtime, int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(runtime->message, sizeof(runtime->message), format, arguments);
    va_end(arguments);
    return error;
}

int64_t runtime_now(const struct steal_runtime *runtime)
{
    return runtime->transport->ops->now_ns(runtime->transport);
}

#define PARAMETER(member) .name = #member, .offset = offsetof(struct steal_options, member)

static const struct parameter options_table[] = {
    {PARAMETER(mode), PARAMETER_CHOICE, STEAL_CHOICE_MODE, .most = -1},
    {PARAMETER(workers), PARAMETER_INT, .least = 0, .most = WORKERS_MAX},
    {PARAMETER(trace_events), PARAMETER_SIZE, .most = -1},
    {PARAMETER(progress_interval_ns), PARAMETER_INT64, .least = 0, .most = INT64_MAX},
};

static const struct parameters parameters = {options_table, ARRAY_COUNT(options_table)};

/* ---- life ---------------------------------------------------------------------------------- */

static int worker_open(struct steal_runtime *runtime, struct steal_worker *worker, int index)
{
    struct activity_trace *trace = &worker->activity.trace;

    worker->runtime = runtime;
    worker->index = index;
    worker->activity.worker = (uint32_t)index;
    if (runtime->options.trace_events == 0)
        return 0;
    trace->events = calloc(runtime->options.trace_events, sizeof(*trace->events));
    if (!trace->events)
        return runtime_fail(runtime, -ENOMEM, "no memory for %zu trace events",
                            runtime->options.trace_events);
    trace->capacity = runtime->options.trace_events;
    return 0;
}

static int workers_open(struct steal_runtime *runtime)
{
    const struct transport *transport = runtime->transport;
    bool threads = runtime->options.mode == STEAL_MODE_THREADS;
    int share = transport->processors / transport->neighbors;
    int result = 0;

    runtime->workers = 1;
    if (threads)
        runtime->workers = runtime->options.workers > 0 ? runtime->options.workers
                                                        : (int)max_i64(share, 1);
    runtime->crowded = (runtime->workers + threads) * transport->neighbors > transport->processors;
    runtime->worker = calloc((size_t)runtime->workers + threads, sizeof(*runtime->worker));
    if (!runtime->worker)
        return runtime_fail(runtime, -ENOMEM, "no memory for %d workers", runtime->workers);
    for (int i = 0; i < runtime->workers + threads && result == 0; i++)
        result = worker_open(runtime, &runtime->worker[i], i);
    runtime->seeder = (struct steal_worker){.runtime = runtime};
    if (threads && result == 0)
        result = team_open(runtime, &runtime->team);
    return result;
}

static void runtime_close(struct steal_runtime *runtime)
{
    team_close(runtime->team);
    if (runtime->worker)
        for (int i = 0; i < runtime->workers + (runtime->options.mode == STEAL_MODE_THREADS); i++) {
            free(runtime->worker[i].activity.trace.events);
            free(runtime->worker[i].message);
        }
    free(runtime->worker);
    free(runtime->seeder.message);
    for (uint32_t i = 0; i < runtime->functions; i++)
        free(runtime->function[i].name);
    free(runtime->function);
    survey_close(runtime->survey);
    runtime->transport->ops->close(runtime->transport);
    free(runtime);
}

static int runtime_locate(struct steal_runtime *runtime)
{
    int result = 0;

    runtime->places = runtime->transport->places;
    if (!runtime->places) {
        result = survey_open(runtime, &runtime->survey);
        runtime->places = result == 0 ? survey_places(runtime->survey) : NULL;
    }
    return result;
}

/* One node has one clock; elsewhere, all leave a reduction at about the same time. */
static int runtime_align(struct steal_runtime *runtime)
{
    const struct transport *transport = runtime->transport;
    int64_t latest_ns = runtime_now(runtime);
    int result = ranks_max(runtime, &latest_ns, 1);

    runtime->begin_ns = transport->neighbors == transport->ranks ? latest_ns : runtime_now(runtime);
    return result;
}

int runtime_open(struct transport *transport, const struct steal_options *options,
                 struct steal_runtime **out, struct steal_error *error)
{
    struct steal_runtime *runtime = calloc(1, sizeof(*runtime));
    int result;

    if (!runtime) {
        transport->ops->close(transport);
        return -ENOMEM;
    }
    runtime->transport = transport;
    stopwatch_open(&runtime->stopwatch, transport);
    if (options)
        runtime->options = *options;
    result = parameters_check(&parameters, runtime, &runtime->options);
    if (result == 0)
        result = workers_open(runtime);
    result = ranks_agree(runtime, result, NULL, 0, &parameters, &runtime->options);
    if (result == 0)
        result = runtime_locate(runtime);
    if (result == 0)
        result = runtime_align(runtime);
    if (result < 0)
        goto fail;
    *out = runtime;
    return 0;

fail:
    if (error)
        memcpy(error->message, runtime->message, sizeof(error->message));
    runtime_close(runtime);
    return result;
}

int steal_runtime_destroy(struct steal_runtime *runtime)
{
    if (!runtime)
        return 0;
    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "steal_runtime_destroy() from within a task");
    /* Ranks that are elsewhere learn it by their calls, which fail, until they come here, too. */
    while (ranks_meet(runtime, CALL_RUNTIME_DESTROY, 0) == -EPROTO)
        ;
    runtime_close(runtime);
    return 0;
}

/* ---- what it knows ------------------------------------------------------------------------- */

int steal_rank(const struct steal_runtime *runtime)
{
    return runtime->transport->rank;
}

int steal_ranks(const struct steal_runtime *runtime)
{
    return runtime->transport->ranks;
}

int steal_workers(const struct steal_runtime *runtime)
{
    return runtime->workers;
}

const char *steal_message(const struct steal_runtime *runtime)
{
    return runtime->message;
}

struct steal_worker *steal_seeder(struct steal_runtime *runtime)
{
    return &runtime->seeder;
}

int steal_worker_index(const struct steal_worker *worker)
{
    return worker->index;
}

const char *steal_worker_message(const struct steal_worker *worker)
{
    return worker->message ? worker->message : "";
}

/* They are few: as a rule one. */
static int function_add(struct steal_runtime *runtime, const char *name, steal_exec *exec)
{
    struct function *function = reallocarray(runtime->function, runtime->functions + 1,
                                             sizeof(*function));

    if (!function)
        return -ENOMEM;
    runtime->function = function;
    function += runtime->functions;
    *function = (struct function){strdup(name), exec};
    if (!function->name)
        return -ENOMEM;
    runtime->functions++;
    return 0;
}

int steal_function_register(struct steal_runtime *runtime, const char *name, steal_exec *exec,
                            steal_function *function)
{
    int result;

    if (!name || !*name || !exec)
        return runtime_fail(runtime, -EINVAL, "a function needs a name and an address");
    for (uint32_t i = 0; i < runtime->functions; i++)
        if (strcmp(runtime->function[i].name, name) == 0)
            return runtime_fail(runtime, -EEXIST, "function '%s' is registered already", name);
    if (runtime->functions == FUNCTIONS_MAX)
        return runtime_fail(runtime, -ENOSPC, "function '%s' is one more than the %d that fit",
                            name, FUNCTIONS_MAX);
    result = function_add(runtime, name, exec);
    if (result < 0)
        return runtime_fail(runtime, result, "no memory for function '%s'", name);
    *function = runtime->functions;
    return 0;
}
