/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/ground/rates.h"

#include <errno.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Decimal places that are too small for RATE_ONE are ignored. The whole part is cut off above
 * RATE_MAX, because it is out of range then anyway. */
int rate_parse(const char *text, const char **end, int64_t *rate)
{
    const char *c = text;
    int64_t value = 0;
    int64_t unit = RATE_ONE;

    for (; is_digit(*c); c++)
        value = min_i64(10 * value + (*c - '0') * RATE_ONE, 10 * RATE_MAX);
    bool digits = c > text;
    if (*c == '.')
        for (c++; is_digit(*c); c++, digits = true)
            value += (*c - '0') * (unit /= 10);
    if (!digits)
        return -EINVAL;
    *end = c;
    if (value < RATE_MIN || value > RATE_MAX)
        return -ERANGE;
    *rate = value;
    return 0;
}

int rate_times_parse(const char *text, const char **end, int *count)
{
    int times = 0;

    if (*text != 'x') {
        *end = text;
        *count = 1;
        return 0;
    }
    if (!is_digit(*++text))
        return -EINVAL;
    for (; is_digit(*text) && times <= MACHINE_PROCESSORS_MAX; text++)
        times = 10 * times + (*text - '0');
    if (times < 1 || times > MACHINE_PROCESSORS_MAX)
        return -ERANGE;
    *end = text;
    *count = times;
    return 0;
}

static int smt_parse(const char *text, const char **end, struct rates *rates)
{
    const int error = rates->smt_rate ? -EINVAL : rate_parse(text, end, &rates->smt_rate);

    return !error && rates->smt_rate > RATE_ONE ? -ERANGE : error;
}

static int item_parse(const char *text, const char **end, struct rates *rates)
{
    static const char smt[] = "smt=";
    int64_t rate;
    int times;

    if (!strncmp(text, smt, strlen(smt)))
        return smt_parse(text + strlen(smt), end, rates);
    int error = rate_parse(text, end, &rate);

    if (!error)
        error = rate_times_parse(*end, end, &times);
    if (error)
        return error;
    if (times > MACHINE_PROCESSORS_MAX - rates->count)
        return -ERANGE;
    while (times-- > 0)
        rates->values[rates->count++] = rate;
    return 0;
}

int rates_parse(const char *text, struct rates *rates)
{
    struct rates parsed = {.smt_rate = 0};

    for (;; text++) {
        const int error = item_parse(text, &text, &parsed);

        if (error)
            return error;
        if (*text != ',')
            break;
    }
    if (*text)
        return -EINVAL;
    *rates = parsed;
    return 0;
}
