/* SPDX-License-Identifier: BSD-3-Clause */
/* The parsers of the values of options. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX      1000000000
#define AS_TEXT(tokens) #tokens
#define TEXT_OF(macro)  AS_TEXT(macro)

int option_flag(const char *text, void *target, const char **expected)
{
    *expected = "yes or no";
    return flag_parse(text ? text : "yes", target);
}

static int option_integer(const char *text, int *target, int low)
{
    int64_t value;
    int error = number_parse(text, low, NUMBER_MAX, &value);

    if (!error)
        *target = (int)value;
    return error;
}

int option_count(const char *text, void *target, const char **expected)
{
    *expected = "a whole number from 1 to " TEXT_OF(NUMBER_MAX);
    return option_integer(text, target, 1);
}

int option_number(const char *text, void *target, const char **expected)
{
    *expected = "a whole number from 0 to " TEXT_OF(NUMBER_MAX);
    return option_integer(text, target, 0);
}

int option_real(const char *text, void *target, const char **expected)
{
    double value;
    const char *end = decimal_read(text, &value);

    *expected = "a number of at least 0";
    if (!end || *end)
        return -EINVAL;
    *(double *)target = value;
    return 0;
}

int option_fraction(const char *text, void *target, const char **expected)
{
    *expected = "a share such as 10% or 0.1";
    return share_parse(text, target);
}

int option_string(const char *text, void *target, const char **expected)
{
    *expected = "a text that is not empty";
    if (!*text)
        return -EINVAL;
    *(const char **)target = text;
    return 0;
}

int option_word(const char *text, const char *const *words, size_t count, int *index)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) != 0)
            continue;
        *index = (int)i;
        return 0;
    }
    return -EINVAL;
}

int option_seed(const char *text, void *target, const char **expected)
{
    char *end;

    *expected = "a whole number of at least 0";
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || *end || errno)
        return -EINVAL;
    *(uint64_t *)target = value;
    return 0;
}

int option_duration(const char *text, void *target, const char **expected)
{
    int64_t duration_ns;
    int error = duration_parse(text, &duration_ns);

    *expected = "a duration above zero with its unit, such as 10ms (ns, us, ms, s, m, h)";
    if (error)
        return error;
    if (duration_ns <= 0)
        return -ERANGE;
    *(int64_t *)target = duration_ns;
    return 0;
}

int option_length(const char *text, void *target, const char **expected)
{
    int64_t duration_ns;
    const int error = option_duration(text, &duration_ns, expected);

    if (error)
        return error;
    *expected = "at most a year";
    if (duration_ns > NSEC_PER_YEAR)
        return -ERANGE;
    *(int64_t *)target = duration_ns;
    return 0;
}
