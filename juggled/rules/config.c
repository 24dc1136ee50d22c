/* SPDX-License-Identifier: BSD-3-Clause */
/* In this order: create, destroy, unused keys; parsing a text: its sections, keys and values,
 * lines. */
#include "juggled/rules/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIMIT_MAX = 100000,
    PERCENT_MAX = 100,
    LINE_SIZE = 200,
    KEYS_MAX = 32, /* more than a section has */
};

/* A key of [service], with its default and its maximum. */
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

void config_tell_limit(int limit, const char *what, const char *key, char told[CONFIG_LIMIT_SIZE])
{
    snprintf(told, CONFIG_LIMIT_SIZE, "more than %d %s, see %s in juggle.conf", limit, what, key);
}

bool config_unused(const struct config *config, int *cursor, struct config_problem *remark)
{
    while (*cursor < config->rules_count) {
        const struct rule *rule = &config->rules[(*cursor)++];
        const char *unused = rule->enabled ? wish_unused(&rule->wish) : NULL;
        if (!unused)
            continue;
        snprintf(remark->text, sizeof(remark->text), "%s: [job %s] %s", rule->origin, rule->name,
                 unused);
        return true;
    }
    return false;
}

/* ---- one text: sections ---- */

static const char blanks[] = " \t\n\v\f\r", comments[] = "#;";

struct parse {
    struct config *config;
    const char *file;
    int line;
    struct config_problem *problem;
    char section[LINE_SIZE]; /* empty before the first section */
    struct rule *rule;       /* the rule of [job NAME]; NULL in [service] */
    int bare_line; /* line where a job's section begins, while it has no key; otherwise 0 */
    char keys_set[KEYS_MAX][LINE_SIZE];
    int keys_set_count;
};

__attribute__((format(printf, 2, 3))) static int parse_fail(const struct parse *parse,
                                                            const char *format, ...)
{
    char reason[CONFIG_PROBLEM_SIZE / 2];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    snprintf(parse->problem->text, sizeof(parse->problem->text), "%s:%d: %s", parse->file,
             parse->line, reason);
    return -EINVAL;
}

static int line_fail(const struct parse *parse)
{
    return parse_fail(parse,
                      "expected '[service]', '[job NAME]', 'key = value' or a comment behind '#'");
}

static int section_fail(const struct parse *parse, const char *section)
{
    return parse_fail(parse, "'[%s]' is no section: [service] and [job NAME] are", section);
}

int config_find(const struct config *config, const char *name)
{
    for (int i = 0; i < config->rules_count; i++)
        if (!strcmp(config->rules[i].name, name))
            return i;
    return -ENOENT;
}

static int rule_add(struct parse *parse, const char *name)
{
    struct config *config = parse->config;

    if (!join_name_is_right(name))
        return parse_fail(parse, "'%s' is no name of a job: expected " JOIN_NAME_EXPECTED, name);
    if (config->rules_count == CONFIG_RULES_MAX)
        return parse_fail(parse, "there are more than %d jobs", CONFIG_RULES_MAX);
    parse->rule = &config->rules[config->rules_count++];
    *parse->rule = (struct rule){.enabled = true};
    wish_init(&parse->rule->wish);
    memcpy(parse->rule->name, name, strlen(name) + 1);
    return 0;
}

/* Fails if the section of a job is empty, which is a mistake. */
static int section_end(struct parse *parse)
{
    if (!parse->bare_line)
        return 0;
    parse->line = parse->bare_line;
    return parse_fail(parse, "[%s] is empty: give executable, comm, cgroup, user or group",
                      parse->section);
}

static int section_of_job(struct parse *parse, const char *name)
{
    const int found = config_find(parse->config, name);

    parse->bare_line = parse->line;
    if (found < 0)
        return rule_add(parse, name);
    parse->rule = &parse->config->rules[found];
    return 0;
}

static int section_begin(struct parse *parse, char *line)
{
    static const char job[] = "job ";
    char *section = line + 1, *end = strchr(line, ']');
    int error = section_end(parse);

    if (error)
        return error;
    if (!end)
        return line_fail(parse);
    *end++ = '\0';
    /* A section that is continued without another one in between counts as one for double keys. */
    if (strcmp(parse->section, section) != 0)
        parse->keys_set_count = 0;
    memcpy(parse->section, section, strlen(section) + 1);
    parse->rule = NULL;
    if (!strncmp(section, job, strlen(job)))
        error = section_of_job(parse, section + strlen(job));
    else if (strcmp(section, "service") != 0)
        error = section_fail(parse, section);
    end += strspn(end, blanks);
    if (error || !*end || strchr(comments, *end))
        return error;
    return parse_fail(parse, "'%s' is not usable behind a section: a comment begins with '#'", end);
}

/* ---- keys and values ---- */

/* True if the key has been set before in this section of this file. */
static bool key_is_double(struct parse *parse, const char *key)
{
    for (int i = 0; i < parse->keys_set_count; i++)
        if (!strcmp(parse->keys_set[i], key))
            return true;
    if (parse->keys_set_count < KEYS_MAX)
        memcpy(parse->keys_set[parse->keys_set_count++], key, strlen(key) + 1);
    return false;
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

static int value_set(struct parse *parse, const char *key, const char *value)
{
    char expected[FIELD_WORDS_SIZE] = "";
    struct rule *rule = parse->rule;

    if (!*parse->section)
        return section_fail(parse, "");
    if (key_is_double(parse, key))
        return parse_fail(parse, "'%s' is set twice", key);
    if (rule)
        snprintf(rule->origin, sizeof(rule->origin), "%s:%d", parse->file, parse->line);
    const int error = rule ? rule_set(rule, key, value, expected)
                           : limit_set(parse->config, key, value, expected);
    if (error == -ENOENT)
        return parse_fail(parse, "'%s' is no key of [%s]", key, parse->section);
    if (error)
        return parse_fail(parse, "%s = '%s' is not usable: expected %s", key, value, expected);
    return 0;
}

/* ---- lines ---- */

/* Removes the blanks at both ends. */
static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && strchr(blanks, end[-1]))
        end--;
    *end = '\0';
    return text + strspn(text, blanks);
}

/* Cuts off a comment behind a blank and a semicolon. A semicolon without a blank before it is
 * none, because lists of domains have semicolons, too. */
static void comment_cut(char *line)
{
    char *mark = line;

    while ((mark = strchr(mark, ';')) && (mark == line || !strchr(blanks, mark[-1])))
        mark++;
    if (mark)
        *mark = '\0';
}

static int line_take(struct parse *parse, char *line)
{
    static const char mark[] = "\xef\xbb\xbf"; /* the byte order mark of UTF-8 */

    if (parse->line == 1 && !strncmp(line, mark, strlen(mark)))
        line += strlen(mark);
    comment_cut(line);
    line = trim(line);
    if (!*line || strchr(comments, *line))
        return 0;
    if (*line == '[')
        return section_begin(parse, line);
    parse->bare_line = 0; /* it is not empty, whether the line is right or wrong */
    char *value = strpbrk(line, "=:");
    if (!value)
        return line_fail(parse);
    *value++ = '\0';
    return value_set(parse, trim(line), trim(value));
}

int config_parse(struct config *config, const char *file, const char *text, size_t length,
                 struct config_problem *problem)
{
    struct parse parse = {.config = config, .file = file, .problem = problem};
    const char *end = text + length;

    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const size_t size = (size_t)((newline ? newline : end) - text);
        char line[LINE_SIZE];
        parse.line++;
        if (memchr(text, '\0', size))
            return parse_fail(&parse, "is no text");
        if (size > LINE_SIZE - 2)
            return parse_fail(&parse, "the line is longer than %d characters", LINE_SIZE - 2);
        memcpy(line, text, size);
        line[size] = '\0';
        const int error = line_take(&parse, line);
        if (error)
            return error;
        text = newline ? newline + 1 : end;
    }
    return section_end(&parse);
}
