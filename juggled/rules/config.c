/* SPDX-License-Identifier: BSD-3-Clause */
/* In this order: create and destroy; one text, with its sections, keys and values. */
#include "juggled/rules/config.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIMIT_MAX = 100000,
    PERCENT_MAX = 100,
    SECTION_SIZE = 64, /* inih cuts them at 50 */
    KEY_SIZE = 64,
    KEYS_MAX = 32, /* more than a section has */
};

/* A key of [service], with its default and the highest that it may be. */
#define LIMIT(name, text, most, member)                                              \
    {                                                                                \
        .key = name, .standard = text, .type = FIELD_NUMBER, .low = 1, .high = most, \
        .offset = offsetof(struct config, member)                                    \
    }

static const struct field limits[] = {
    LIMIT("jobs", "256", LIMIT_MAX, jobs_max),
    LIMIT("jobs-per-user", "64", LIMIT_MAX, jobs_per_user),
    LIMIT("threads-per-user", "4096", LIMIT_MAX, threads_per_user),
    LIMIT("cpu-percent", "4", PERCENT_MAX, cpu_percent),
    LIMIT("cpu-percent-per-user", "3", PERCENT_MAX, cpu_percent_per_user),
    LIMIT("clients-per-user", "32", LIMIT_MAX, clients_per_user),
    LIMIT("connects-per-second", "50", LIMIT_MAX, connects_per_second),
    LIMIT("calls-per-second", "500", LIMIT_MAX, calls_per_second),
};

int config_create(struct config **result)
{
    struct config *config = calloc(1, sizeof(*config));

    if (!config)
        return -ENOMEM;
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++)
        field_reset(&limits[i], config);
    *result = config;
    return 0;
}

void config_destroy(struct config *config)
{
    free(config);
}

/* ---- one text ---- */

/* What inih reports is the line of the first error; ours come with words. */
struct parse {
    struct config *config;
    const char *file;
    const char *rest; /* of the text */
    const char *end;
    int line;
    struct config_problem *problem; /* of the line below */
    int problem_line;               /* 0: none */
    char section[SECTION_SIZE];     /* of the last key, to tell a key that is set twice */
    int bare_line;                  /* of a section without a key so far; 0: it has one */
    char bare[SECTION_SIZE];
    char keys_set[KEYS_MAX][KEY_SIZE];
    int keys_set_count;
};

__attribute__((format(printf, 2, 3))) static int parse_fail(struct parse *parse, const char *format,
                                                            ...)
{
    char reason[CONFIG_PROBLEM_SIZE / 2];
    va_list arguments;

    if (parse->problem_line)
        return 0;
    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    parse->problem_line = parse->line;
    snprintf(parse->problem->text, sizeof(parse->problem->text), "%s:%d: %s", parse->file,
             parse->line, reason);
    return 0;
}

static int limit_set(struct config *config, const char *key, const char *value,
                     char expected[FIELD_WORDS_SIZE])
{
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
        if (strcmp(key, limits[i].key))
            continue;
        field_expects(&limits[i], expected);
        return field_set(&limits[i], config, value) ? -EINVAL : 0;
    }
    return -ENOENT;
}

int config_find(const struct config *config, const char *name)
{
    for (int i = 0; i < config->rules_count; i++)
        if (!strcmp(config->rules[i].name, name))
            return i;
    return -ENOENT;
}

static struct rule *rule_add(struct parse *parse, const char *name)
{
    struct config *config = parse->config;

    if (!join_name_is_right(name)) {
        parse_fail(parse, "'%s' is no name of a job: 1 to 40 letters, digits or any of . _ : - are",
                   name);
        return NULL;
    }
    if (config->rules_count == CONFIG_RULES_MAX) {
        parse_fail(parse, "there are more than %d jobs", CONFIG_RULES_MAX);
        return NULL;
    }
    struct rule *rule = &config->rules[config->rules_count++];
    *rule = (struct rule){.enabled = true};
    wish_init(&rule->wish);
    memcpy(rule->name, name, strlen(name) + 1);
    return rule;
}

/* True if this key came before, in this section of this file. */
static bool key_is_double(struct parse *parse, const char *section, const char *key)
{
    if (strcmp(parse->section, section)) {
        snprintf(parse->section, sizeof(parse->section), "%s", section);
        parse->keys_set_count = 0;
    }
    for (int i = 0; i < parse->keys_set_count; i++)
        if (!strcmp(parse->keys_set[i], key))
            return true;
    if (parse->keys_set_count < KEYS_MAX)
        snprintf(parse->keys_set[parse->keys_set_count++], sizeof(parse->keys_set[0]), "%s", key);
    return false;
}

static int value_set(struct parse *parse, const char *section, const char *key, const char *value,
                     char expected[FIELD_WORDS_SIZE])
{
    static const char job[] = "job ";

    if (!strcmp(section, "service"))
        return limit_set(parse->config, key, value, expected);
    if (strncmp(section, job, strlen(job)) != 0) {
        parse_fail(parse, "'[%s]' is no section: [service] and [job NAME] are", section);
        return -EINVAL;
    }
    const char *name = section + strlen(job);
    const int found = config_find(parse->config, name);
    struct rule *rule = found < 0 ? rule_add(parse, name) : &parse->config->rules[found];
    if (!rule)
        return -EINVAL;
    snprintf(rule->origin, sizeof(rule->origin), "%s:%d", parse->file, parse->line);
    return rule_set(rule, key, value, expected);
}

/* A job whose section says nothing is a mistake, which inih does not tell of. */
static void section_end(struct parse *parse)
{
    const int line = parse->line;

    if (parse->bare_line && !strncmp(parse->bare, "[job", strlen("[job"))) {
        parse->line = parse->bare_line;
        parse_fail(parse, "%s is empty: give executable, comm, cgroup, user or group", parse->bare);
        parse->line = line;
    }
    parse->bare_line = 0;
}

static void section_begin(struct parse *parse, const char *line)
{
    section_end(parse);
    parse->bare_line = parse->line;
    snprintf(parse->bare, sizeof(parse->bare), "%.*s", (int)strcspn(line, "\n"), line);
}

/* inih's handler: 0 is an error to it. */
static int take_value(void *context, const char *section, const char *key, const char *value)
{
    struct parse *parse = context;
    char expected[FIELD_WORDS_SIZE] = "";

    parse->bare_line = 0;
    if (key_is_double(parse, section, key))
        return parse_fail(parse, "'%s' is set twice, or its value goes on in this line", key);
    int error = value_set(parse, section, key, value, expected);
    if (error == -ENOENT)
        return parse_fail(parse, "'%s' is no key of [%s]", key, section);
    if (error)
        return parse_fail(parse, "%s = '%s' is not usable: expected %s", key, value, expected);
    return 1;
}

/* inih's reader: one line, as fgets. A line longer than its buffer would be taken for two. */
static char *read_line(char *line, int size, void *context)
{
    struct parse *parse = context;
    const size_t left = (size_t)(parse->end - parse->rest);
    const char *newline = left ? memchr(parse->rest, '\n', left) : NULL;
    const size_t length = newline ? (size_t)(newline - parse->rest) + 1 : left;

    if (!left)
        return NULL;
    parse->line++;
    if (memchr(parse->rest, '\0', length))
        parse_fail(parse, "is no text");
    if (length > (size_t)size - 1) {
        parse_fail(parse, "the line is longer than %d characters", size - 2);
        line[0] = '\0';
    } else {
        memcpy(line, parse->rest, length);
        line[length] = '\0';
    }
    parse->rest += length;
    if (*line == '[')
        section_begin(parse, line);
    return line;
}

int config_parse(struct config *config, const char *file, const char *text, size_t length,
                 struct config_problem *problem)
{
    struct parse parse = {
        .config = config,
        .file = file,
        .rest = text,
        .end = text + length,
        .problem = problem,
    };
    const int line = ini_parse_stream(read_line, &parse, take_value, &parse);

    section_end(&parse);
    if (line && (!parse.problem_line || line < parse.problem_line))
        snprintf(problem->text, sizeof(problem->text),
                 "%s:%d: expected '[service]', '[job NAME]', 'key = value' or a comment behind '#'",
                 file, line);
    return line || parse.problem_line ? -EINVAL : 0;
}
