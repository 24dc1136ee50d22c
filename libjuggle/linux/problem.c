/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

int problem_say(char *problem, size_t size, int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem, size, format, arguments);
    va_end(arguments);
    return error;
}

static bool is_limited(__rlimit_resource_t resource)
{
    struct rlimit limit;

    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static const char *limit_of_memory(void)
{
    if (is_limited(RLIMIT_AS))
        return is_limited(RLIMIT_DATA) ? " (ulimit -v or -d)" : " (ulimit -v)";
    return is_limited(RLIMIT_DATA) ? " (ulimit -d)" : "";
}

/* A thread whose stack finds no room in the address space is refused with EAGAIN, too. */
static const char *limit_of(int error)
{
    switch (error) {
    case -EMFILE:
        return " (ulimit -n)";
    case -EFBIG:
        return " (ulimit -f)";
    case -ENOMEM:
        return limit_of_memory();
    case -EAGAIN:
        return is_limited(RLIMIT_AS) ? " (ulimit -u, ulimit -v, or the control group's pids.max)"
                                     : " (ulimit -u, or the control group's pids.max)";
    default:
        return "";
    }
}

int problem_of(char *problem, size_t size, int error, const char *object, ...)
{
    va_list arguments;

    va_start(arguments, object);
    const int length = vsnprintf(problem, size, object, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < size)
        snprintf(problem + length, size - (size_t)length, ": %s%s", strerror(-error),
                 limit_of(error));
    return error;
}
