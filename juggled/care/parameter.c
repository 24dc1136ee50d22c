/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/parameter.h"

#include <limits.h>
#include <string.h>

bool parameter_is_given(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return value && !json_is_null(value);
}

static bool is_one_of(const char *name, const char *const names[])
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names;
}

const char *parameter_unknown(const json_t *object, const char *const known[])
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)object, name, value)
    {
        if (!json_is_null(value) && !is_one_of(name, known))
            return name;
    }
    return NULL;
}

const char *parameter_text(const json_t *object, const char *name, bool *right)
{
    const json_t *value = json_object_get(object, name);

    *right = !value || json_is_null(value) || json_is_string(value);
    return json_string_value(value);
}

bool parameter_flag(const json_t *object, const char *name, bool *flag)
{
    const json_t *value = json_object_get(object, name);

    *flag = json_is_true(value);
    return !parameter_is_given(object, name) || json_is_boolean(value);
}

bool parameter_integer(const json_t *object, const char *name, int64_t low, int64_t high,
                       int64_t *integer)
{
    const json_t *value = json_object_get(object, name);
    const int64_t given = json_integer_value(value);

    if (!json_is_integer(value) || given < low || given > high)
        return false;
    *integer = given;
    return true;
}

bool parameter_pid(const json_t *object, pid_t *pid)
{
    int64_t given;

    if (!parameter_integer(object, "pid", 1, INT_MAX, &given))
        return false;
    *pid = (pid_t)given;
    return true;
}

bool parameter_start_ticks(const json_t *object, uint64_t *start_ticks)
{
    int64_t given;

    if (!parameter_integer(object, "start_ticks", 0, INT64_MAX, &given))
        return false;
    *start_ticks = (uint64_t)given;
    return true;
}
