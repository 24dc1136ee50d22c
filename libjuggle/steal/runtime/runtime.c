/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/runtime.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/collection.h"
#include "libjuggle/steal/runtime/settings.h"
#include "libjuggle/steal/runtime/survey.h"
#include "libjuggle/steal/runtime/tables.h"
#include "libjuggle/steal/runtime/team.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ignored(char *message, const char *name, const char *needed)
{
    snprintf(message, STEAL_MESSAGE_MAX, "%s does nothing without %s", name, needed);
    return -EINVAL;
}

static int options_check(const struct steal_options *options, char *message)
{
    int result = parameters_check(&options_parameters, options, message);

    if (result == 0)
        result = parameters_need(&options_parameters, options, message);
    if (result < 0)
        return result;
    if (options->progress && options->progress_interval_ns == 0)
        return ignored(message, "progress", "progress_interval_ns");
    if (options->dimensions != 0 && !options->coordinates)
        return ignored(message, "dimensions", "coordinates");
    return survey_check(options, message);
}

/* Checks the program's own options on rank 0, where the function would be called: other ranks may
 * have none. The user's options are not checked: in a program without a function, asking for
 * progress changes nothing. */
static int progress_check(const struct steal_options *given, char *message)
{
    if (!given || given->progress)
        return 0;
    if (given->progress_interval_ns != 0)
        return ignored(message, "progress_interval_ns", "progress");
    return given->progress_context ? ignored(message, "progress_context", "progress") : 0;
}

/* The first version had padding there, of any value: only structs of later ones are checked. */
static int unused_check(const struct steal_options *given, char *message)
{
    if (given->size <= offsetof(struct steal_options, report) || given->unused == 0)
        return 0;
    snprintf(message, STEAL_MESSAGE_MAX, "unused must be 0, not %d", given->unused);
    return -EINVAL;
}

/* Checks the user's settings of checkpoints, whether the program keeps a checkpoint or not. */
static int checkpoint_text_check(const char *text, char *message)
{
    struct checkpoint_wish wish = {0};
    const int result = settings_over(text, SECTION_CHECKPOINT, &wish, message);

    return result < 0 ? result : parameters_check(&checkpoint_parameters, &wish, message);
}

int options_resolve(const struct steal_options *given, const char *text,
                    struct steal_options *options, char *message)
{
    int result = 0;

    *options = (struct steal_options){.size = sizeof(*options)};
    if (given)
        result = versioned_read(&versioned_options, given, options, message);
    if (result == 0 && given)
        result = unused_check(given, message);
    if (result == 0)
        result = settings_over(text, SECTION_OPTIONS, options, message);
    if (result == 0)
        result = checkpoint_text_check(text, message);
    return result < 0 ? result : options_check(options, message);
}

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
    free(runtime->account);
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

/* Sets the origin of the trace. One node has one clock: the latest time of any rank. Otherwise each
 * rank takes its own time after a reduction, which all ranks leave at about the same time. */
static int runtime_align(struct steal_runtime *runtime)
{
    const struct transport *transport = runtime->transport;
    int64_t latest_ns = runtime_now(runtime);
    int result = ranks_max(runtime, &latest_ns, 1);

    runtime->begin_ns = transport->neighbors == transport->ranks ? latest_ns : runtime_now(runtime);
    return result;
}

int runtime_agree(struct transport *transport, int status, struct steal_error *error)
{
    struct steal_runtime none = {.transport = transport};
    int result;

    memcpy(none.message, error->message, sizeof(none.message));
    result = ranks_succeed(&none, status);
    memcpy(error->message, none.message, sizeof(none.message));
    return result;
}

/* If there is no memory for the runtime: tells the other ranks, which would wait for this one. */
static int runtime_miss(struct transport *transport, struct steal_error *error)
{
    int result;

    snprintf(error->message, sizeof(error->message), "no memory for a runtime");
    result = runtime_agree(transport, -ENOMEM, error);
    transport->ops->close(transport);
    return result;
}

int runtime_open(struct transport *transport, const struct steal_options *options,
                 struct steal_runtime **out, struct steal_error *error)
{
    struct steal_runtime *runtime = calloc(1, sizeof(*runtime));
    struct steal_error ignored;
    int result;

    error = error ? error : &ignored;
    if (!runtime)
        return runtime_miss(transport, error);
    runtime->transport = transport;
    stopwatch_open(&runtime->stopwatch, transport);
    result = options_resolve(options, transport->settings, &runtime->options, runtime->message);
    if (result == 0 && transport->rank == 0)
        result = progress_check(options, runtime->message);
    if (result == 0)
        result = workers_open(runtime);
    if (result == 0 && runtime->options.report) {
        runtime->account = calloc(FUNCTIONS_MAX, sizeof(*runtime->account));
        if (!runtime->account)
            result = runtime_fail(runtime, -ENOMEM, "no memory for a report");
    }
    result = ranks_agree(runtime, result, NULL, 0, &options_parameters, &runtime->options);
    if (result == 0)
        result = runtime_locate(runtime);
    if (result == 0)
        result = runtime_align(runtime);
    if (result == 0) {
        *out = runtime;
        return 0;
    }
    memcpy(error->message, runtime->message, sizeof(error->message));
    runtime_close(runtime);
    return result;
}

/* -EBUSY if there is a collection: if it outlived its runtime, it would be lost. */
static int collections_check(struct steal_runtime *runtime)
{
    const struct steal_collection *collection = runtime->collection;

    if (!collection)
        return 0;
    return runtime_fail(runtime, -EBUSY, "collection %d of '%s' is not destroyed", collection->id,
                        collection_name(collection));
}

int steal_runtime_destroy(struct steal_runtime *runtime)
{
    if (!runtime)
        return 0;
    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "steal_runtime_destroy() from within a task");
    const int status = collections_check(runtime);
    int result;
    /* Ranks that are in other collective calls learn it because these fail, until they come here,
     * too. */
    do
        result = ranks_meet(runtime, CALL_RUNTIME_DESTROY, 0, status);
    while (result == -EPROTO);
    if (result == -EBUSY || result == -ECANCELED)
        return result;
    account_tell(runtime);
    runtime_close(runtime);
    return 0;
}
