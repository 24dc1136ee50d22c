/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - values: defaults, checks
 * - from text
 * - structs of several versions */
#include "libjuggle/steal/runtime/parameters.h"

#include "libjuggle/ground/decimal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
int64_t text_digest(int64_t digest, const char *text)
{
    uint64_t sum = (uint64_t)digest ^ UINT64_C(0xcbf29ce484222325);

    do
        sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    while (*text++);
    return (int64_t)sum;
}

/* The bytes of a value, and the greatest whole number that a text may give. Of a PARAMETER_TEXT
 * only the first character counts. */
static const struct {
    size_t size;
    uint64_t most;
} types[] = {
    [PARAMETER_INT] = {sizeof(int), INT_MAX},
    [PARAMETER_SIZE] = {sizeof(size_t), SIZE_MAX / 2},
    [PARAMETER_INT64] = {sizeof(int64_t), INT64_MAX},
    [PARAMETER_UINT32] = {sizeof(uint32_t), UINT32_MAX},
    [PARAMETER_UINT64] = {sizeof(uint64_t), UINT64_MAX},
    [PARAMETER_FUNCTION] = {sizeof(void *), 0},
    [PARAMETER_DOUBLE] = {sizeof(double), 0},
    [PARAMETER_CHOICE] = {sizeof(int), 0},
    [PARAMETER_TEXT] = {sizeof(char), 0},
    [PARAMETER_TIME] = {sizeof(int64_t), 0},
};

int64_t parameter_value(const struct parameter *parameter, const void *settings)
{
    const void *at = (const char *)settings + parameter->offset;
    int64_t bits;

    switch (parameter->type) {
    case PARAMETER_INT:
    case PARAMETER_CHOICE:
        return *(const int *)at;
    case PARAMETER_SIZE:
        return (int64_t) * (const size_t *)at;
    case PARAMETER_TEXT:
        return *(const char *)at ? text_digest(0, at) : 0;
    case PARAMETER_FUNCTION:
        return *(void *const *)at != NULL;
    case PARAMETER_UINT32:
        return *(const uint32_t *)at;
    default:
        memcpy(&bits, at, sizeof(bits));
        return bits;
    }
}

void parameter_clear(const struct parameter *parameter, void *settings)
{
    memset((char *)settings + parameter->offset, 0, types[parameter->type].size);
}

void parameters_default(const struct parameters *parameters, void *settings)
{
    for (size_t i = 0; i < parameters->count; i++) {
        const struct parameter *parameter = &parameters->list[i];
        void *at = (char *)settings + parameter->offset;

        if (parameter_value(parameter, settings) != 0)
            continue;
        if (parameter->type == PARAMETER_SIZE)
            *(size_t *)at = (size_t)parameter->preset;
        else if (parameter->type == PARAMETER_INT)
            *(int *)at = (int)parameter->preset;
        else if (parameter->type == PARAMETER_DOUBLE)
            *(double *)at = parameter->preset;
    }
}

__attribute__((format(printf, 2, 3))) static int refuse(char *message, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, STEAL_MESSAGE_MAX, format, arguments);
    va_end(arguments);
    return -EINVAL;
}

static int double_check(const struct parameter *parameter, const void *settings, char *message)
{
    double value;

    memcpy(&value, (const char *)settings + parameter->offset, sizeof(value));
    if (!isfinite(value))
        return refuse(message, "%s must be finite: %g", parameter->name, value);
    if (value < 0)
        return refuse(message, "%s must not be negative: %g", parameter->name, value);
    if (value < (double)parameter->least)
        return refuse(message, "%s must be at least %" PRId64 ", not %g", parameter->name,
                      parameter->least, value);
    if (parameter->most > 0 && value > (double)parameter->most)
        return refuse(message, "%s must be at most %" PRId64 ", not %g", parameter->name,
                      parameter->most, value);
    return 0;
}

static int parameter_check(const struct parameter *parameter, const void *settings, char *message)
{
    const int64_t value = parameter_value(parameter, settings);

    if (parameter->type == PARAMETER_DOUBLE)
        return double_check(parameter, settings, message);
    if (parameter->type == PARAMETER_TEXT)
        return 0;
    if (parameter->type == PARAMETER_CHOICE && !steal_choice_name(parameter->choice, (int)value))
        return refuse(message, "%s %d does not exist", parameter->name, (int)value);
    if (parameter->most == 0 || (value >= parameter->least && value <= parameter->most))
        return 0;
    if (parameter->most == INT64_MAX)
        return refuse(message, "%s must not be negative", parameter->name);
    if (parameter->type == PARAMETER_SIZE)
        return refuse(message, "%s must be %" PRId64 " to %" PRId64 ", not %zu", parameter->name,
                      parameter->least, parameter->most, (size_t)value);
    return refuse(message, "%s must be %" PRId64 " to %" PRId64 ", not %" PRId64, parameter->name,
                  parameter->least, parameter->most, value);
}

/* ---- from text ----------------------------------------------------------------------------- */

enum { NUMBER_MAX = 32 };

static int choice_refuse(const struct parameter *parameter, const char *text, size_t length,
                         char *message)
{
    char names[STEAL_MESSAGE_MAX] = "";
    const char *name;
    size_t used = 0;

    for (int i = 0; (name = steal_choice_name(parameter->choice, i)); i++)
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                                 name);
    return refuse(message, "%s is one of %s, not '%.*s'", parameter->name, names,
                  (int)min_i64((int64_t)length, NUMBER_MAX), text);
}

/* The factor for which a suffix K, M or G of a number of bytes or tasks stands: 1 if `suffix` is
 * empty, 0 if it is anything else. */
static uint64_t factor_of(const char *suffix)
{
    static const char factors[] = "KMG";
    const char *found = *suffix ? strchr(factors, *suffix) : NULL;

    if (!*suffix)
        return 1;
    return found && !suffix[1] ? UINT64_C(1) << (10 * (found - factors + 1)) : 0;
}

/* Parses a whole number, not negative, up to `most`. `suffix`: K, M and G are allowed behind it. */
static bool whole_parse(const char *text, bool suffix, uint64_t most, uint64_t *value)
{
    char *end;
    uint64_t number, factor;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    number = strtoull(text, &end, 10);
    factor = suffix || !*end ? factor_of(end) : 0;
    if (errno != 0 || factor == 0 || number > most / factor)
        return false;
    *value = number * factor;
    return true;
}

/* The decimal separator is a point, even if the program's locale has a comma. */
static bool double_parse(const char *text, double *value)
{
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    const size_t length = decimal_length(text);
    double number;

    if (!plain)
        return false;
    number = strtod_l(text, NULL, plain);
    freelocale(plain);
    if (!length || text[length] || !isfinite(number))
        return false;
    *value = number;
    return true;
}

static bool number_parse(const struct parameter *parameter, const char *number, void *at)
{
    uint64_t value;

    if (parameter->type == PARAMETER_DOUBLE)
        return double_parse(number, at);
    if (!whole_parse(number, parameter->type == PARAMETER_SIZE, types[parameter->type].most,
                     &value))
        return false;
    if (types[parameter->type].size == sizeof(uint32_t))
        memcpy(at, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
    else
        memcpy(at, &value, sizeof(value));
    return true;
}

static int number_refuse(const struct parameter *parameter, const char *text, int length,
                         char *message)
{
    const int64_t own = parameter->most;

    if (parameter->type == PARAMETER_DOUBLE)
        return refuse(message, "%s is a number of at least 0, not '%.*s'", parameter->name, length,
                      text);
    return refuse(message, "%s is a whole number from 0 to %" PRIu64 ", not '%.*s'",
                  parameter->name, own > 0 ? (uint64_t)own : types[parameter->type].most, length,
                  text);
}

/* A whole number and its unit, as in "60s". */
static bool time_parse(const char *text, void *at)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"us", NSEC_PER_USEC},
                 {"ms", NSEC_PER_MSEC},
                 {"s", NSEC_PER_SEC},
                 {"m", 60 * NSEC_PER_SEC},
                 {"h", 3600 * NSEC_PER_SEC}};
    const size_t digits = strspn(text, "0123456789");
    const int64_t number = digits > 0 && digits < 10 ? strtoll(text, NULL, 10) : -1;

    for (size_t i = 0; i < ARRAY_COUNT(units) && number >= 0; i++)
        if (strcmp(text + digits, units[i].name) == 0 && number <= INT64_MAX / units[i].ns) {
            memcpy(at, &(int64_t){number * units[i].ns}, sizeof(int64_t));
            return true;
        }
    return false;
}

/* Copies the text of a PARAMETER_TEXT. */
static int text_parse(const struct parameter *parameter, const char *text, size_t length, char *at,
                      char *message)
{
    if (length >= (size_t)parameter->most)
        return refuse(message, "%s is at most %" PRId64 " bytes long", parameter->name,
                      parameter->most - 1);
    memcpy(at, text, length);
    at[length] = '\0';
    return 0;
}

/* Zero is always in range, because it stands for the default. */
int parameter_parse(const struct parameter *parameter, void *settings, const char *text,
                    size_t length, char *message)
{
    void *at = (char *)settings + parameter->offset;
    char number[NUMBER_MAX] = "";

    if (parameter->type == PARAMETER_TEXT)
        return text_parse(parameter, text, length, at, message);
    if (length < sizeof(number))
        memcpy(number, text, length);
    if (parameter->type == PARAMETER_CHOICE)
        return steal_choice_parse(parameter->choice, number, at) == 0
                   ? 0
                   : choice_refuse(parameter, text, length, message);
    if (parameter->type == PARAMETER_TIME)
        return time_parse(number, at)
                   ? 0
                   : refuse(message, "%s is a time such as 60s, not '%.*s'", parameter->name,
                            (int)min_i64((int64_t)length, NUMBER_MAX), text);
    if (!number_parse(parameter, number, at))
        return number_refuse(parameter, text, (int)min_i64((int64_t)length, NUMBER_MAX), message);
    return parameter_value(parameter, settings) == 0
               ? 0
               : parameter_check(parameter, settings, message);
}

int parameters_check(const struct parameters *parameters, const void *settings, char *message)
{
    int result = 0;

    for (size_t i = 0; i < parameters->count && result == 0; i++)
        result = parameter_check(&parameters->list[i], settings, message);
    return result;
}

bool parameter_has_effect(const struct parameter *parameter, const void *settings)
{
    int other;

    if (!parameter->needs)
        return true;
    other = *(const int *)((const char *)settings + parameter->needs_offset);
    if (!parameter->needs_values)
        return other != 0;
    /* The program may have set a value that does not exist; parameters_check() refuses it. */
    return other >= 0 && other < 32 && parameter->needs_values >> other & 1;
}

int parameters_need(const struct parameters *parameters, const void *settings, char *message)
{
    for (size_t i = 0; i < parameters->count; i++) {
        const struct parameter *parameter = &parameters->list[i];

        if (parameter_value(parameter, settings) != 0 && !parameter_has_effect(parameter, settings))
            return refuse(message, "%s does nothing without %s", parameter->name, parameter->needs);
    }
    return 0;
}

bool parameters_set(const struct parameters *parameters, const void *settings)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (parameter_value(&parameters->list[i], settings) != 0)
            return true;
    return false;
}

/* ---- structs of several versions ------------------------------------------------------------ */

int versioned_check(const struct versioned *versioned, size_t given, char *message)
{
    const char *name = versioned->name;

    if (given >= versioned->first && given <= versioned->size && given % sizeof(uint64_t) == 0)
        return 0;
    if (given == 0)
        return refuse(message, "the size of struct %s is not set: it is sizeof(struct %s)", name,
                      name);
    if (given < versioned->first)
        return refuse(message,
                      "struct %s has %zu bytes in the program and had at least %zu in any version "
                      "of the library: compile the program with this version's header",
                      name, given, versioned->first);
    return refuse(message,
                  "struct %s has %zu bytes in the program and %zu in the library: compile the "
                  "program with this version's header",
                  name, given, versioned->size);
}

int versioned_read(const struct versioned *versioned, const void *given, void *settings,
                   char *message)
{
    const size_t size = *(const size_t *)given;
    const int result = versioned_check(versioned, size, message);

    if (result < 0)
        return result;
    memset(settings, 0, versioned->size);
    memcpy(settings, given, size);
    *(size_t *)settings = versioned->size;
    return 0;
}

void versioned_write(const void *from, void *given)
{
    const size_t size = *(size_t *)given;

    memcpy((char *)given + sizeof(size), (const char *)from + sizeof(size), size - sizeof(size));
}
