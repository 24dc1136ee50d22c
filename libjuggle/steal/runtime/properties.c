/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/properties.h"

#include "libjuggle/steal/deque/deque.h"
#include "libjuggle/steal/protocol/lifelines.h"
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/rank.h"
#include "libjuggle/steal/runtime/record.h"
#include "libjuggle/steal/runtime/settings.h"
#include "libjuggle/steal/runtime/tables.h"
#include "libjuggle/steal/runtime/tiers.h"
#include "libjuggle/steal/runtime/waiting.h"

#include <errno.h>

void properties_resolve(struct steal_properties *properties)
{
    parameters_default(&properties_parameters, properties);
    parameters_default(&balance_parameters, &properties->balance);
}

int properties_want(struct steal_runtime *runtime, const struct steal_properties *given,
                    struct steal_properties *properties)
{
    const char *text = runtime->transport->settings;
    int result = versioned_read(&versioned_properties, given, properties, runtime->message);

    if (result == 0 && given->balance.size != 0)
        result = versioned_check(&versioned_balance, given->balance.size, runtime->message);
    if (result < 0)
        return result;
    result = settings_over_properties(text, properties, runtime->message);
    /* The user has chosen threads mode, in which the program's poll_tasks has no effect. */
    if (runtime->team && settings_name(text, "mode") && !settings_name(text, "poll_tasks"))
        properties->poll_tasks = 0;
    return result;
}

/* Refuses properties that would be ignored because others that they need are not set, and
 * properties that exclude each other. */
static int check_needs(struct steal_runtime *runtime, const struct steal_properties *given)
{
    const int result = parameters_need(&properties_parameters, given, runtime->message);

    if (result < 0)
        return result;
    if (given->poll_tasks > 0 && runtime->team)
        return runtime_fail(runtime, -EINVAL, "poll_tasks does nothing without mode polling");
    if (parameters_set(&balance_parameters, &given->balance) && given->balance_every == 0 &&
        !given->balance_if_it_pays)
        return runtime_fail(runtime, -EINVAL,
                            "balance does nothing without balance_every or balance_if_it_pays: "
                            "steal_rebalance() has settings of its own");
    if (given->levels > 1 && given->retain)
        return runtime_fail(runtime, -EINVAL,
                            "levels cannot be combined with retain: retained tasks are ordered by "
                            "their durations");
    if (given->waiting && given->retain)
        return runtime_fail(
            runtime, -EINVAL,
            "waiting cannot be combined with retain: restored tasks do not wait for counters");
    if ((given->results || given->results_memory > 0) && !given->result && !given->results_path)
        return runtime_fail(runtime, -EINVAL, "%s does nothing without result or results_path",
                            given->results ? "results" : "results_memory");
    if (given->results_path) {
        const int path = runtime_need_path(runtime, given->results_path, "results_path");

        if (path < 0)
            return path;
    }
    if (given->storage_initial && given->storage == 0)
        return runtime_fail(runtime, -EINVAL, "storage_initial does nothing without storage");
    return parameters_need(&balance_parameters, &given->balance, runtime->message);
}

/* A call never gets more than a batch: if `batch` were no multiple of `lanes`, some lanes would be
 * empty in each call. */
static int check_lanes(struct steal_runtime *runtime, const struct steal_properties *properties)
{
    if (properties->batch % properties->lanes == 0)
        return 0;
    return runtime_fail(runtime, -EINVAL, "batch must be a multiple of lanes %zu, not %zu",
                        properties->lanes, properties->batch);
}

static int check_memory(struct steal_runtime *runtime, const struct steal_properties *properties)
{
    const size_t most = TRANSPORT_ROOM - sizeof(struct tiers_run);

    if (properties->waiting &&
        record_stride(properties) > TRANSPORT_ROOM - sizeof(struct waiting_note))
        return runtime_fail(runtime, -EINVAL, "task_size must be at most %zu with waiting, not %zu",
                            TRANSPORT_ROOM - sizeof(struct waiting_note), properties->task_size);
    if (tiers_wanted(properties) && record_stride(properties) > most)
        return runtime_fail(runtime, -EINVAL, "task_size must be at most %zu with %s, not %zu",
                            most - (record_stride(properties) - record_task_stride(properties)),
                            properties->weighted ? "weighted" : "levels", properties->task_size);

    size_t stride = record_stride(properties);
    size_t least = stride * deque_capacity_within(stride, (uint32_t)properties->tasks, 0);

    if (stride > STEAL_TASK_SIZE_MAX)
        return runtime_fail(runtime, -EINVAL, "task_size must be at most %zu with retain, not %zu",
                            STEAL_TASK_SIZE_MAX - sizeof(struct history), properties->task_size);
    if (properties->memory_max >= least)
        return 0;
    return runtime_fail(runtime, -EINVAL,
                        "memory_max must be at least %zu for %zu tasks of %zu bytes, not %zu",
                        least, properties->tasks, stride, properties->memory_max);
}

static int check_lifelines(struct steal_runtime *runtime, const struct steal_properties *properties)
{
    int ranks = steal_ranks(runtime);

    if (properties->lifelines == 0 || properties->radix == 0 ||
        lifelines_suffice(properties->lifelines, properties->radix, ranks))
        return 0;
    return runtime_fail(runtime, -EINVAL,
                        "radix %d is too small for lifelines %d among %d ranks: it must be %d, or "
                        "0 to be chosen",
                        properties->radix, properties->lifelines, ranks,
                        lifelines_radix(properties->lifelines, ranks));
}

static int check_bins(struct steal_runtime *runtime, const struct steal_properties *properties)
{
    if ((properties->bins & (properties->bins - 1)) == 0)
        return 0;
    return runtime_fail(runtime, -EINVAL, "bins must be a power of two, not %zu", properties->bins);
}

int properties_check(struct steal_runtime *runtime, const struct steal_properties *given)
{
    struct steal_properties resolved = *given;
    const struct steal_properties *const properties = &resolved;
    int result;

    properties_resolve(&resolved);

    if (properties->function == 0 || properties->function > runtime->functions)
        return runtime_fail(runtime, -ENOENT, "function %u is not registered",
                            properties->function);
    result = parameters_check(&properties_parameters, properties, runtime->message);
    if (result == 0)
        result = check_lanes(runtime, properties);
    if (result == 0)
        result = check_lifelines(runtime, properties);
    if (result == 0)
        result = check_bins(runtime, properties);
    if (result == 0)
        result = parameters_check(&balance_parameters, &properties->balance, runtime->message);
    if (result == 0)
        result = check_needs(runtime, given);
    if (result == 0)
        result = check_memory(runtime, properties);
    return result < 0 ? runtime_quote_user_settings(runtime, result) : 0;
}

int properties_agree(struct steal_runtime *runtime, int status,
                     const struct steal_properties *properties)
{
    int64_t functions = 0;

    for (uint32_t i = 0; i < runtime->functions; i++)
        functions = text_digest(functions, runtime->function[i].name);
    status = ranks_agree(runtime, status, "the list of registered functions", functions,
                         &properties_parameters, properties);
    return status < 0 ? status
                      : ranks_agree(runtime, 0, "", 0, &balance_parameters, &properties->balance);
}
