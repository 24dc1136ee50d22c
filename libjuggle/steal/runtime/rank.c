/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/rank.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 512 };

int runtime_fail(struct steal_runtime *runtime, int error, const char *format, ...)
{
    char message[sizeof(runtime->message)] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    while (atomic_flag_test_and_set_explicit(&runtime->speaking, memory_order_acquire))
        ;
    memcpy(runtime->message, message, sizeof(message));
    atomic_flag_clear_explicit(&runtime->speaking, memory_order_release);
    return error;
}

int runtime_fail_path(struct steal_runtime *runtime, int error, const char *path)
{
    if (error == -EINVAL)
        return runtime_fail(runtime, error, "%s is a device or a pipe, not a regular file", path);
    return runtime_fail(runtime, error, "%s: %s", path, strerror(-error));
}

/* Control characters, which the program's names may have, become '?', so that a line stays one
 * line. */
void runtime_print(const struct steal_runtime *runtime, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list arguments;

    if (runtime->transport->rank > 0)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    for (char *at = line; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    fprintf(stderr, "steal: %s\n", line);
}

int runtime_need(struct steal_runtime *runtime, const void *pointer, const char *what)
{
    return pointer ? 0 : runtime_fail(runtime, -EINVAL, "%s is NULL", what);
}

int runtime_need_path(struct steal_runtime *runtime, const char *path, const char *what)
{
    const int result = runtime_need(runtime, path, what);

    if (result < 0)
        return result;
    if (strnlen(path, PATH_MAX) == PATH_MAX)
        return runtime_fail(runtime, -ENAMETOOLONG, "%s is longer than %d bytes", what,
                            PATH_MAX - 1);
    return *path ? 0 : runtime_fail(runtime, -EINVAL, "%s is empty", what);
}

int runtime_quote_user_settings(struct steal_runtime *runtime, int result)
{
    char message[STEAL_MESSAGE_MAX];

    if (!runtime->transport->settings || !*runtime->transport->settings)
        return result;
    memcpy(message, runtime->message, sizeof(message));
    return runtime_fail(runtime, result, "%s (JUGGLE_STEAL is %s)", message,
                        runtime->transport->settings);
}

int worker_fail(struct steal_worker *worker, int error, const char *format, ...)
{
    va_list arguments;

    if (!worker->message)
        worker->message = malloc(STEAL_MESSAGE_MAX);
    if (!worker->message)
        return error;
    va_start(arguments, format);
    vsnprintf(worker->message, STEAL_MESSAGE_MAX, format, arguments);
    va_end(arguments);
    /* Within a process several tasks may fail at once: only the worker's message is written. */
    if (!worker->runtime->processing)
        runtime_fail(worker->runtime, error, "%s", worker->message);
    return error;
}

int64_t runtime_now(const struct steal_runtime *runtime)
{
    return runtime->transport->ops->now_ns(runtime->transport);
}

int steal_rank(const struct steal_runtime *runtime)
{
    return runtime ? runtime->transport->rank : -EINVAL;
}

int steal_ranks(const struct steal_runtime *runtime)
{
    return runtime ? runtime->transport->ranks : -EINVAL;
}

int steal_workers(const struct steal_runtime *runtime)
{
    return runtime ? runtime->workers : -EINVAL;
}

const char *steal_message(const struct steal_runtime *runtime)
{
    return runtime ? runtime->message : "the runtime is NULL";
}

/* While threads execute tasks, only the thread that answers may read `broken`. */
int steal_runtime_failed(const struct steal_runtime *runtime)
{
    if (!runtime)
        return -EINVAL;
    return !runtime->processing && runtime->transport->broken;
}

struct steal_worker *steal_seeder(struct steal_runtime *runtime)
{
    return runtime ? &runtime->seeder : NULL;
}

int steal_worker_index(const struct steal_worker *worker)
{
    return worker ? worker->index : -EINVAL;
}

const char *steal_worker_message(const struct steal_worker *worker)
{
    if (!worker)
        return "the worker is NULL";
    return worker->message ? worker->message : "";
}

/* Grows the table by one entry each time, because functions are few: normally one. */
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

    if (!runtime)
        return -EINVAL;
    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "steal_function_register() from within a task");
    runtime_forget(runtime);
    result = runtime_need(runtime, function, "function");
    if (result < 0)
        return result;
    if (!name || !*name || !exec)
        return runtime_fail(runtime, -EINVAL, "a function needs a name and an address");
    for (uint32_t i = 0; i < runtime->functions; i++)
        if (strcmp(runtime->function[i].name, name) == 0)
            return runtime_fail(runtime, -EEXIST, "function '%s' is registered already", name);
    if (runtime->functions == FUNCTIONS_MAX)
        return runtime_fail(runtime, -ENOSPC,
                            "function '%s' cannot be registered: at most %d functions are possible",
                            name, FUNCTIONS_MAX);
    result = function_add(runtime, name, exec);
    if (result < 0)
        return runtime_fail(runtime, result, "no memory for function '%s'", name);
    *function = runtime->functions;
    return 0;
}
