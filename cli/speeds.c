/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/speeds.h"

#include "cli/options.h"
#include "libjuggle/ground/rates.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

static_assert((int)SPEEDS_MAX == (int)MACHINE_PROCESSORS_MAX,
              "every processor may have a speed of its own");

static double speed_of(int64_t rate)
{
    return (double)rate / (double)RATE_ONE;
}

int option_speeds(const char *text, void *target, const char **expected)
{
    struct speeds *speeds = target;
    struct rates rates;
    const int error = rates_parse(text, &rates);

    *expected = "at most 1024 speeds from 0.001 to 1000 with commas between, such as 1,1,0.5 or "
                "1x4,0.6x4";
    if (error || rates.smt_rate)
        return error ? error : -EINVAL;
    speeds->count = rates.count;
    for (int i = 0; i < rates.count; i++)
        speeds->values[i] = speed_of(rates.values[i]);
    return 0;
}

int option_smt(const char *text, void *target, const char **expected)
{
    struct speeds_smt *smt = target;
    int64_t rate;
    int paired = 0;
    int error = rate_parse(text, &text, &rate);

    *expected = "a share above zero, up to 1, and perhaps how many processors have siblings: 0.62 "
                "or 0.62x8";
    if (!error && *text)
        error = rate_times_parse(text, &text, &paired);
    if (error)
        return error;
    if (*text || paired % 2)
        return -EINVAL;
    if (rate > RATE_ONE)
        return -ERANGE;
    *smt = (struct speeds_smt){.factor = speed_of(rate), .processors_count = paired};
    return 0;
}

double speeds_at(const struct speeds *speeds, int index)
{
    return speeds->count ? speeds->values[index % speeds->count] : 1;
}

int speeds_check(const struct speeds *speeds, int processors_count, const char *program,
                 const char *option)
{
    if (speeds->count <= processors_count)
        return 0;
    complain(program, "--%s lists %d processors, but there are %d (-m)", option, speeds->count,
             processors_count);
    return -EINVAL;
}

bool speeds_paired(const struct speeds_smt *smt, int index, int count)
{
    const int paired = smt->processors_count ? smt->processors_count : count;

    return smt->factor > 0 && index < paired && (index | 1) < count;
}

int speeds_check_siblings(const struct speeds *speeds, const struct speeds_smt *smt,
                          int processors_count, const char *program)
{
    for (int i = 0; i + 1 < processors_count; i += 2) {
        if (!speeds_paired(smt, i, processors_count) ||
            speeds_at(speeds, i) == speeds_at(speeds, i + 1))
            continue;
        complain(program, "processors %d and %d share a core and have different speeds: see --smt",
                 i, i + 1);
        return -EINVAL;
    }
    return 0;
}

void speeds_print(const struct speeds *speeds, int count)
{
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && speeds_at(speeds, next) == speeds_at(speeds, i); next++)
            ;
        printf("%s%d x %g", i ? ", " : "", next - i, speeds_at(speeds, i));
    }
}
