/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/wish/value.h"

#include "libjuggle/ground/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int number_parse(const char *text, int64_t low, int64_t high, int64_t *number)
{
    char *end;

    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (!decimal_digits(text + (*text == '-')) || *end)
        return -EINVAL;
    if (errno || value < low || value > high)
        return -ERANGE;
    *number = value;
    return 0;
}

static const struct time_unit {
    const char *name;
    int64_t size_ns;
} time_units[] = {
    {"ns", 1},           {"us", NSEC_PER_USEC},    {"ms", NSEC_PER_MSEC},
    {"s", NSEC_PER_SEC}, {"m", 60 * NSEC_PER_SEC}, {"h", 3600 * NSEC_PER_SEC},
};

const char *decimal_read(const char *text, double *value)
{
    const size_t length = decimal_length(text);
    char *end;

    *value = strtod(text, &end);
    return length && end == text + length && isfinite(*value) ? end : NULL;
}

int duration_parse(const char *text, int64_t *duration_ns)
{
    double value;
    const char *end = decimal_read(text, &value);

    if (!end)
        return -EINVAL;
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < ARRAY_COUNT(time_units); i++) {
        if (strcmp(end, time_units[i].name))
            continue;
        double scaled = value * (double)time_units[i].size_ns;
        if (scaled > 9e18)
            return -ERANGE;
        *duration_ns = (int64_t)llround(scaled);
        return 0;
    }
    return -EINVAL;
}

char *duration_format(int64_t duration_ns, char *buffer, size_t size)
{
    size_t unit = 0;
    double value = (double)duration_ns;

    while (unit < 3 && fabs(value) >= 999.5) {
        value /= 1000;
        unit++;
    }
    snprintf(buffer, size, fabs(value) >= 100 ? "%.0f %s" : "%.3g %s", value,
             time_units[unit].name);
    return buffer;
}

int share_parse(const char *text, double *share)
{
    double value;
    const char *end = decimal_read(text, &value);

    if (!end)
        return -EINVAL;
    if (*end == '%') {
        value /= 100;
        end++;
    }
    if (*end || !(value >= 0 && value <= 1))
        return -EINVAL;
    *share = value;
    return 0;
}

int flag_parse(const char *text, bool *flag)
{
    static const struct {
        const char *text;
        bool flag;
    } words[] = {
        {"yes", true},    {"true", true}, {"1", true}, {"no", false},
        {"false", false}, {"0", false},   {"", false},
    };

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (strcmp(text, words[i].text))
            continue;
        *flag = words[i].flag;
        return 0;
    }
    return -EINVAL;
}
