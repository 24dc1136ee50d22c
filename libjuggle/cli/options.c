/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/cli/options.h"

#include "libjuggle/cli/version.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTIONS_MAX = 64,
    VALUE_BASE = 256, /* getopt values of options, above every short letter */
    VALUE_HELP = VALUE_BASE + OPTIONS_MAX,
    VALUE_VERSION,
    VALUE_COMPLETION,
    ENVIRONMENT_NAME_SIZE = 64,
};

void complain(const char *program, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s: ", program);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static int options_count(const struct command_spec *command)
{
    int count = 0;

    while (command->options[count].name)
        count++;
    return count;
}

/* ---- values ---- */

static int parse_integer(const char *text, long long low, long long high, long long *value)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *end)
        return -EINVAL;
    return errno || *value < low || *value > high ? -ERANGE : 0;
}

int option_flag(const char *text, void *target, const char **expected)
{
    *expected = "yes or no";
    if (!text || !strcmp(text, "1") || !strcmp(text, "yes") || !strcmp(text, "true"))
        *(bool *)target = true;
    else if (!*text || !strcmp(text, "0") || !strcmp(text, "no") || !strcmp(text, "false"))
        *(bool *)target = false;
    else
        return -EINVAL;
    return 0;
}

static int option_integer(const char *text, int *target, int low)
{
    long long value;
    int error = parse_integer(text, low, 1000000000, &value);

    if (!error)
        *target = (int)value;
    return error;
}

int option_count(const char *text, void *target, const char **expected)
{
    *expected = "a whole number of at least 1";
    return option_integer(text, target, 1);
}

int option_number(const char *text, void *target, const char **expected)
{
    *expected = "a whole number of at least 0";
    return option_integer(text, target, 0);
}

int option_real(const char *text, void *target, const char **expected)
{
    char *end;
    double value = strtod(text, &end);

    *expected = "a number of at least 0";
    if (end == text || *end || !isfinite(value) || value < 0)
        return -EINVAL;
    *(double *)target = value;
    return 0;
}

int option_fraction(const char *text, void *target, const char **expected)
{
    char *end;
    double value = strtod(text, &end);

    *expected = "a share such as 10% or 0.1";
    if (end == text)
        return -EINVAL;
    if (*end == '%') {
        value /= 100;
        end++;
    }
    if (*end || !(value >= 0 && value <= 1))
        return -EINVAL;
    *(double *)target = value;
    return 0;
}

int option_string(const char *text, void *target, const char **expected)
{
    *expected = "a text that is not empty";
    if (!*text)
        return -EINVAL;
    *(const char **)target = text;
    return 0;
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

static const struct time_unit {
    const char *name;
    int64_t size_ns;
} time_units[] = {
    {"ns", 1},           {"us", NSEC_PER_USEC},    {"ms", NSEC_PER_MSEC},
    {"s", NSEC_PER_SEC}, {"m", 60 * NSEC_PER_SEC}, {"h", 3600 * NSEC_PER_SEC},
};

int duration_parse(const char *text, int64_t *duration_ns)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || !isfinite(value) || value < 0)
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

char *duration_format(int64_t duration_ns, char *buffer, size_t size)
{
    size_t unit = 0;
    double value = (double)duration_ns;

    while (unit < 3 && fabs(value) >= 999.5) {
        value /= 1000;
        unit++;
    }
    snprintf(buffer, size, "%.*g %s", fabs(value) >= 100 ? (int)log10(fabs(value)) + 1 : 3, value,
             time_units[unit].name);
    return buffer;
}

/* ---- help, completion ---- */

void options_print_help(const struct command_spec *command, FILE *out)
{
    fprintf(out, "Usage: %s %s\n%s\n\n", command->name, command->synopsis, command->summary);
    for (const struct option_spec *option = command->options; option->name; option++) {
        char left[64];
        int length = option->letter
                         ? snprintf(left, sizeof(left), "  -%c, --%s", option->letter, option->name)
                         : snprintf(left, sizeof(left), "      --%s", option->name);

        if (option->argument)
            snprintf(left + length, sizeof(left) - (size_t)length,
                     *option->argument == '[' ? "%s" : " %s", option->argument);
        fprintf(out, "%-31s %s\n", left, option->help);
    }
    fprintf(out, "%-31s %s\n%-31s %s\n", "      --help", "print this and exit", "      --version",
            "print the version and exit");
}

/* One option or verb a line, for shell completion and the test that holds the man pages against the
 * table. */
static void print_completion(const struct command_spec *command)
{
    for (const struct option_spec *option = command->options; option->name; option++) {
        printf("--%s%s\n", option->name, option->argument ? "=" : "");
        if (option->letter)
            printf("-%c\n", option->letter);
    }
    puts("--help\n--version");
    for (const char *const *verb = command->verbs; verb && *verb; verb++)
        puts(*verb);
}

/* ---- parsing ---- */

static int option_apply(const struct command_spec *command, const struct option_spec *option,
                        const char *source, const char *text, void *settings)
{
    const char *expected = "";
    int error = option->parse(text, (char *)settings + option->offset, &expected);

    if (error)
        complain(command->name, "%s: '%s' is not usable: expected %s", source, text ? text : "",
                 expected);
    return error;
}

static int environment_parse(const struct command_spec *command, void *settings)
{
    for (const struct option_spec *option = command->options; option->name; option++) {
        char name[ENVIRONMENT_NAME_SIZE];
        int length = snprintf(name, sizeof(name), "%s%s", command->environment_prefix,
                              option->name);

        for (int i = 0; i < length; i++)
            name[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
        const char *text = getenv(name);
        if (text && option_apply(command, option, name, text, settings))
            return -EINVAL;
    }
    return 0;
}

static void getopt_tables(const struct command_spec *command, struct option *longs, char *shorts)
{
    const int count = options_count(command);

    *shorts++ = command->stop_at_operand ? '+' : '-';
    if (!command->stop_at_operand)
        shorts--; /* the default permutes */
    *shorts++ = ':';
    for (int i = 0; i < count; i++) {
        const struct option_spec *option = &command->options[i];
        const int has = !option->argument          ? no_argument
                        : *option->argument == '[' ? optional_argument
                                                   : required_argument;

        longs[i] = (struct option){option->name, has, NULL, VALUE_BASE + i};
        if (option->letter) {
            *shorts++ = option->letter;
            for (int colon = 0; colon < has; colon++)
                *shorts++ = ':';
        }
    }
    longs[count] = (struct option){"help", no_argument, NULL, VALUE_HELP};
    longs[count + 1] = (struct option){"version", no_argument, NULL, VALUE_VERSION};
    longs[count + 2] = (struct option){"completion", no_argument, NULL, VALUE_COMPLETION};
    longs[count + 3] = (struct option){0};
    *shorts = '\0';
}

static const struct option_spec *option_find(const struct command_spec *command, int value)
{
    if (value >= VALUE_BASE)
        return &command->options[value - VALUE_BASE];
    for (const struct option_spec *option = command->options; option->name; option++)
        if (option->letter == value)
            return option;
    return NULL;
}

static int usage_error(const struct command_spec *command, int value, char **argv, int *exit_status)
{
    const char *word = argv[optind - 1];

    *exit_status = EXIT_USAGE;
    if (value == ':')
        complain(command->name, "option '%s' needs an argument: see '%s --help'", word,
                 command->name);
    else if (optopt && optopt < VALUE_BASE)
        complain(command->name, "unknown option '-%c': see '%s --help'", optopt, command->name);
    else
        complain(command->name,
                 "option '%s' is unknown, ambiguous or takes no argument: see '%s --help'", word,
                 command->name);
    return -EINVAL;
}

int options_parse(const struct command_spec *command, int argc, char **argv, void *settings,
                  int *operands, int *exit_status)
{
    struct option longs[OPTIONS_MAX + 4];
    char shorts[3 * OPTIONS_MAX + 3];
    int value;

    *exit_status = EXIT_USAGE;
    if (command->environment_prefix && environment_parse(command, settings))
        return -EINVAL;
    getopt_tables(command, longs, shorts);
    optind = 0;
    opterr = 0;
    while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (value == '?' || value == ':')
            return usage_error(command, value, argv, exit_status);
        if (value >= VALUE_HELP) {
            *exit_status = 0;
            if (value == VALUE_HELP)
                options_print_help(command, stdout);
            else if (value == VALUE_VERSION)
                printf("%s %s\n", command->name, JUGGLE_VERSION);
            else
                print_completion(command);
            return -ECANCELED;
        }
        const struct option_spec *option = option_find(command, value);
        char source[64];
        snprintf(source, sizeof(source), "--%s", option->name);
        if (option_apply(command, option, source, optarg, settings))
            return -EINVAL;
    }
    *operands = optind;
    return 0;
}
