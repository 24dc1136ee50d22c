/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/parameters.h"

#include "libjuggle/steal/runtime/runtime.h"

#include <errno.h>
#include <string.h>
#include <inttypes.h>
#include <math.h>

int64_t parameter_value(const struct parameter *parameter, const void *settings)
{
    const void *at = (const char *)settings + parameter->offset;

    switch (parameter->type) {
    case PARAMETER_INT:
    case PARAMETER_CHOICE:
        return *(const int *)at;
    case PARAMETER_SIZE:
        return (int64_t) * (const size_t *)at;
    case PARAMETER_UINT64:
    case PARAMETER_DOUBLE:
        return (int64_t) * (const uint64_t *)at;
    case PARAMETER_INT64:
        return *(const int64_t *)at;
    case PARAMETER_FUNCTION:
        return *(void *const *)at != NULL;
    case PARAMETER_UINT32:
        return *(const uint32_t *)at;
    }
    return 0;
}

void parameters_default(const struct parameters *parameters, void *settings)
{
    for (size_t i = 0; i < parameters->count; i++) {
        const struct parameter *parameter = &parameters->list[i];
        void *at = (char *)settings + parameter->offset;

        if (parameter_value(parameter, settings) != 0)
            continue;
        if (parameter->type == PARAMETER_SIZE)
            *(size_t *)at = (size_t)parameter->preset;
        else if (parameter->type == PARAMETER_INT)
            *(int *)at = (int)parameter->preset;
        else if (parameter->type == PARAMETER_DOUBLE)
            *(double *)at = (double)parameter->preset;
    }
}

static int double_check(const struct parameter *parameter, struct steal_runtime *runtime,
                        const void *settings)
{
    double value;

    memcpy(&value, (const char *)settings + parameter->offset, sizeof(value));

    if (isfinite(value) && value >= 0)
        return 0;
    return runtime_fail(runtime, -EINVAL, "%s must not be negative: %g", parameter->name, value);
}

static int parameter_check(const struct parameter *parameter, struct steal_runtime *runtime,
                           const void *settings)
{
    const int64_t value = parameter_value(parameter, settings);

    if (parameter->type == PARAMETER_DOUBLE)
        return double_check(parameter, runtime, settings);
    if (parameter->type == PARAMETER_CHOICE && !steal_choice_name(parameter->choice, (int)value))
        return runtime_fail(runtime, -EINVAL, "%s %d does not exist", parameter->name, (int)value);
    if (parameter->most < parameter->least ||
        (value >= parameter->least && value <= parameter->most))
        return 0;
    if (parameter->most == INT64_MAX)
        return runtime_fail(runtime, -EINVAL, "%s must not be negative", parameter->name);
    return runtime_fail(runtime, -EINVAL, "%s must be %" PRId64 " to %" PRId64 ", not %" PRId64,
                        parameter->name, parameter->least, parameter->most, value);
}

int parameters_check(const struct parameters *parameters, struct steal_runtime *runtime,
                     const void *settings)
{
    int result = 0;

    for (size_t i = 0; i < parameters->count && result == 0; i++)
        result = parameter_check(&parameters->list[i], runtime, settings);
    return result;
}
