/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/cli/speeds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Beyond a factor of a thousand it is no machine but a slip. */
#define SPEED_MIN 1e-3
#define SPEED_MAX 1e3

/* A decimal number: strtod knows others, and would read "0x4" as one. */
static int number_parse(const char *text, const char **end, double *number)
{
    char *after;

    if (*text != '.' && (*text < '0' || *text > '9'))
        return -EINVAL;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return -EINVAL;
    *number = strtod(text, &after);
    *end = after;
    return isfinite(*number) ? 0 : -EINVAL;
}

/* "xCOUNT", if it is there. */
static int times_parse(const char *text, const char **end, int *count)
{
    char *after;

    *end = text;
    if (*text != 'x')
        return 0;
    const long times = strtol(text + 1, &after, 10);
    if (text[1] < '0' || text[1] > '9' || times < 1)
        return -EINVAL;
    if (times > SPEEDS_MAX)
        return -ERANGE;
    *count = (int)times;
    *end = after;
    return 0;
}

static int item_parse(const char *text, const char **end, struct speeds *speeds)
{
    int times = 1;
    double speed;
    int error = number_parse(text, end, &speed);

    if (!error)
        error = times_parse(*end, end, &times);
    if (error)
        return error;
    if (speed < SPEED_MIN || speed > SPEED_MAX || times > SPEEDS_MAX - speeds->count)
        return -ERANGE;
    while (times-- > 0)
        speeds->values[speeds->count++] = speed;
    return 0;
}

int option_speeds(const char *text, void *target, const char **expected)
{
    struct speeds *speeds = target;
    int error;

    *expected = "speeds from 0.001 to 1000 with commas between, such as 1,1,0.5 or 1x4,0.6x4";
    speeds->count = 0;
    for (;; text++) {
        error = item_parse(text, &text, speeds);
        if (error || *text != ',')
            break;
    }
    return !error && *text ? -EINVAL : error;
}

int option_smt(const char *text, void *target, const char **expected)
{
    struct speeds_smt smt = {0};
    int error = number_parse(text, &text, &smt.factor);

    *expected = "a share above zero, up to 1, and perhaps how many processors have siblings: 0.62 "
                "or 0.62x8";
    if (!error)
        error = times_parse(text, &text, &smt.processors_count);
    if (error)
        return error;
    if (*text || smt.processors_count % 2)
        return -EINVAL;
    if (smt.factor < SPEED_MIN || smt.factor > 1)
        return -ERANGE;
    *(struct speeds_smt *)target = smt;
    return 0;
}

double speeds_at(const struct speeds *speeds, int index)
{
    return speeds->count ? speeds->values[index % speeds->count] : 1;
}

bool speeds_paired(const struct speeds_smt *smt, int index, int count)
{
    const int paired = smt->processors_count ? smt->processors_count : count;

    return smt->factor > 0 && index < paired && (index | 1) < count;
}

char *speeds_format(const struct speeds *speeds, int count, char *buffer, size_t size)
{
    size_t length = 0;

    buffer[0] = '\0';
    for (int i = 0, next; i < count && length < size; i = next) {
        for (next = i + 1; next < count && speeds_at(speeds, next) == speeds_at(speeds, i); next++)
            ;
        length += (size_t)snprintf(buffer + length, size - length, "%s%d x %g", i ? ", " : "",
                                   next - i, speeds_at(speeds, i));
    }
    return buffer;
}
