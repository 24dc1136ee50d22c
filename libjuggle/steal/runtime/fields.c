/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/fields.h"

#include "libjuggle/steal/runtime/runtime.h"

#include <errno.h>
#include <string.h>
#include <inttypes.h>
#include <math.h>

int64_t field_value(const struct field *field, const void *settings)
{
    const void *at = (const char *)settings + field->offset;

    switch (field->type) {
    case FIELD_INT:
    case FIELD_CHOICE:
        return *(const int *)at;
    case FIELD_SIZE:
        return (int64_t) * (const size_t *)at;
    case FIELD_UINT64:
    case FIELD_DOUBLE:
        return (int64_t) * (const uint64_t *)at;
    case FIELD_INT64:
        return *(const int64_t *)at;
    case FIELD_FUNCTION:
        return *(void *const *)at != NULL;
    case FIELD_UINT32:
        return *(const uint32_t *)at;
    }
    return 0;
}

void fields_default(const struct fields *fields, void *settings)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->list[i];
        void *at = (char *)settings + field->offset;

        if (field_value(field, settings) != 0)
            continue;
        if (field->type == FIELD_SIZE)
            *(size_t *)at = (size_t)field->preset;
        else if (field->type == FIELD_INT)
            *(int *)at = (int)field->preset;
        else if (field->type == FIELD_DOUBLE)
            *(double *)at = (double)field->preset;
    }
}

static int double_check(const struct field *field, struct steal_runtime *runtime,
                        const void *settings)
{
    double value;

    memcpy(&value, (const char *)settings + field->offset, sizeof(value));

    if (isfinite(value) && value >= 0)
        return 0;
    return runtime_fail(runtime, -EINVAL, "%s must not be negative: %g", field->name, value);
}

static int field_check(const struct field *field, struct steal_runtime *runtime,
                       const void *settings)
{
    const int64_t value = field_value(field, settings);

    if (field->type == FIELD_DOUBLE)
        return double_check(field, runtime, settings);
    if (field->type == FIELD_CHOICE && !steal_choice_name(field->choice, (int)value))
        return runtime_fail(runtime, -EINVAL, "%s %d does not exist", field->name, (int)value);
    if (field->most < field->least || (value >= field->least && value <= field->most))
        return 0;
    if (field->most == INT64_MAX)
        return runtime_fail(runtime, -EINVAL, "%s must not be negative", field->name);
    return runtime_fail(runtime, -EINVAL, "%s must be %" PRId64 " to %" PRId64 ", not %" PRId64,
                        field->name, field->least, field->most, value);
}

int fields_check(const struct fields *fields, struct steal_runtime *runtime, const void *settings)
{
    int result = 0;

    for (size_t i = 0; i < fields->count && result == 0; i++)
        result = field_check(&fields->list[i], runtime, settings);
    return result;
}
