/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/ubench/settings.h"

#include "cli/options.h"
#include "tools/ubench/pinning.h"
#include "tools/ubench/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int option_size(const char *text, void *target, const char **expected)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB"};
    enum { UNIT_BITS = 10 };
    char *end;

    *expected = "a size in bytes, or with its unit, such as 4MiB (KiB, MiB, GiB)";
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || value < 0 || errno)
        return -EINVAL;
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (strcmp(end, units[i]))
            continue;
        if (value > INT64_MAX >> (i * UNIT_BITS))
            return -ERANGE;
        *(int64_t *)target = value << (i * UNIT_BITS);
        return 0;
    }
    return -EINVAL;
}

int option_iterations(const char *text, void *target, const char **expected)
{
    const int error = option_seed(text, target, expected);

    *expected = "a whole number of at least 1";
    return error || *(uint64_t *)target ? error : -ERANGE;
}

int settings_complete(struct settings *settings)
{
    const int processors_count = pinning_processors_count();

    if (!settings->members_count)
        settings->members_count = processors_count;
    if (settings->static_count > processors_count) {
        complain(settings->program, "--static %d: only %d processors may be used here",
                 settings->static_count, processors_count);
        return -ERANGE;
    }
    if (settings->calibrate_only && settings->iterations) {
        complain(settings->program, "--calibrate and --iterations exclude each other");
        return -EINVAL;
    }
    if (settings->processes && settings->barrier == BARRIER_OMP) {
        complain(settings->program, "--processes: OpenMP has no barrier between processes; choose "
                                    "--barrier block, yield or busy");
        return -EINVAL;
    }
    return 0;
}

int settings_calibrate(struct settings *settings)
{
    struct work work;

    if (settings->iterations)
        return 0;
    const int error = work_init(&work, (size_t)settings->footprint_size);
    if (error) {
        complain(settings->program, "--footprint: no memory for %lld bytes: %s",
                 (long long)settings->footprint_size, strerror(-error));
        return error;
    }
    settings->iterations = work_calibrate(&work, settings->phase_ns);
    work_destroy(&work);
    return 0;
}
