/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/properties.h"

#include "libjuggle/steal/deque/deque.h"
#include "libjuggle/steal/protocol/lifelines.h"
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/balance.h"
#include "libjuggle/steal/runtime/runtime.h"

#include <errno.h>
#include <string.h>

#define PARAMETER(member) .name = #member, .offset = offsetof(struct steal_properties, member)

static const struct parameter table[] = {
    {PARAMETER(function), PARAMETER_UINT32, .most = -1},
    {PARAMETER(task_size), PARAMETER_SIZE, .least = 1, .most = STEAL_TASK_SIZE_MAX},
    {PARAMETER(batch), PARAMETER_SIZE, .preset = 1, .least = 1, .most = STEAL_BATCH_MAX},
    {PARAMETER(lanes), PARAMETER_SIZE, .preset = 1, .least = 1, .most = STEAL_BATCH_MAX},
    {PARAMETER(tasks), PARAMETER_SIZE, .preset = 1024, .least = 1, .most = DEQUE_CAPACITY_MAX},
    {PARAMETER(memory_max), PARAMETER_SIZE, .preset = INT64_C(256) << 20, .most = -1},
    {PARAMETER(retain), PARAMETER_CHOICE, STEAL_CHOICE_RETENTION, .most = -1},
    {PARAMETER(order), PARAMETER_CHOICE, STEAL_CHOICE_ORDER, .most = -1},
    {PARAMETER(prediction), PARAMETER_CHOICE, STEAL_CHOICE_PREDICTION, .most = -1},
    {PARAMETER(alpha), PARAMETER_DOUBLE, .most = -1},
    {PARAMETER(balance_every), PARAMETER_SIZE, .most = -1},
    {PARAMETER(balance_if_it_pays), PARAMETER_INT, .most = -1},
    {PARAMETER(key), PARAMETER_FUNCTION, .most = -1},
    {PARAMETER(weight), PARAMETER_FUNCTION, .most = -1},
    {PARAMETER(bins), PARAMETER_SIZE, .preset = 16, .least = 1, .most = 1 << BINS_RESOLUTION_MAX},
    {PARAMETER(isolate), PARAMETER_INT, .most = -1},
    {PARAMETER(victim), PARAMETER_CHOICE, STEAL_CHOICE_VICTIM, .most = -1},
    {PARAMETER(amount), PARAMETER_CHOICE, STEAL_CHOICE_AMOUNT, .most = -1},
    {PARAMETER(termination), PARAMETER_CHOICE, STEAL_CHOICE_TERMINATION, .most = -1},
    {PARAMETER(exponent), PARAMETER_DOUBLE, .preset = 1},
    {PARAMETER(lifelines), PARAMETER_INT, .least = 0, .most = LIFELINES_MAX},
    {PARAMETER(radix), PARAMETER_INT, .least = 0, .most = INT32_MAX},
    {PARAMETER(tries), PARAMETER_INT, .preset = 4, .least = 1, .most = INT32_MAX},
    {PARAMETER(chunk), PARAMETER_SIZE, .preset = 20, .least = 1, .most = DEQUE_CAPACITY_MAX},
    {PARAMETER(poll_tasks), PARAMETER_SIZE, .preset = 512, .least = 1, .most = DEQUE_CAPACITY_MAX},
    {PARAMETER(seed), PARAMETER_UINT64, .most = -1},
};

static const double ALPHA_DEFAULT = 0.5;

static const struct parameters parameters = {table, ARRAY_COUNT(table)};

void properties_resolve(struct steal_properties *properties)
{
    parameters_default(&parameters, properties);
    if (properties->alpha == 0)
        properties->alpha = ALPHA_DEFAULT;
    balance_resolve(&properties->balance);
}

static int check_memory(struct steal_runtime *runtime, const struct steal_properties *properties)
{
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

static int check_prediction(struct steal_runtime *runtime,
                            const struct steal_properties *properties)
{
    if (properties->bins & (properties->bins - 1))
        return runtime_fail(runtime, -EINVAL, "bins must be a power of two, not %zu",
                            properties->bins);
    if (!(properties->alpha > 0 && properties->alpha <= 1))
        return runtime_fail(runtime, -EINVAL, "alpha must be over 0 to 1, not %g",
                            properties->alpha);
    return 0;
}

int properties_check(struct steal_runtime *runtime, const struct steal_properties *properties)
{
    int result;

    if (properties->function == 0 || properties->function > runtime->functions)
        return runtime_fail(runtime, -ENOENT, "function %u is not registered",
                            properties->function);
    result = parameters_check(&parameters, runtime, properties);
    if (result == 0)
        result = check_lifelines(runtime, properties);
    if (result == 0)
        result = check_prediction(runtime, properties);
    if (result == 0)
        result = balance_check(runtime, &properties->balance);
    return result < 0 ? result : check_memory(runtime, properties);
}

/* Tells tables of functions apart by their names and order (FNV-1a). */
static int64_t functions_digest(const struct steal_runtime *runtime)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);

    for (uint32_t i = 0; i < runtime->functions; i++) {
        const char *name = runtime->function[i].name;

        /* With its end, so that the borders between names count. */
        for (size_t at = 0; at <= strlen(name); at++)
            digest = (digest ^ (unsigned char)name[at]) * UINT64_C(0x100000001b3);
    }
    return (int64_t)digest;
}

int properties_agree(struct steal_runtime *runtime, int status,
                     const struct steal_properties *properties)
{
    status = ranks_agree(runtime, status, "the list of registered functions",
                         functions_digest(runtime), &parameters, properties);
    return status < 0 ? status : balance_agree(runtime, 0, &properties->balance);
}
