/* SPDX-License-Identifier: BSD-3-Clause */
/* In this order: create, destroy, what is ignored; one text, with its sections, keys and values,
 * lines. */
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
    SECTION_SIZE = 256, /* of a line, of which inih keeps 50 */
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

/* As inih sees them. */
static const char blanks[] = " \t\n\v\f\r", comments[] = "#;";

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
    int bare_line;                  /* where a job begins that says nothing so far; 0: none */
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

static void rule_add(struct parse *parse, const char *name)
{
    struct config *config = parse->config;

    if (!join_name_is_right(name)) {
        parse_fail(parse, "'%s' is no name of a job: expected " JOIN_NAME_EXPECTED, name);
        return;
    }
    if (config->rules_count == CONFIG_RULES_MAX) {
        parse_fail(parse, "there are more than %d jobs", CONFIG_RULES_MAX);
        return;
    }
    struct rule *rule = &config->rules[config->rules_count++];
    *rule = (struct rule){.enabled = true};
    wish_init(&rule->wish);
    memcpy(rule->name, name, strlen(name) + 1);
}

/* The name of the job that a section is of, or NULL. */
static const char *section_job(const char *section)
{
    static const char job[] = "job ";

    return strncmp(section, job, strlen(job)) ? NULL : section + strlen(job);
}

static void section_fail(struct parse *parse, const char *section)
{
    parse_fail(parse, "'[%s]' is no section: [service] and [job NAME] are", section);
}

/* A job whose section says nothing is a mistake, which inih does not tell of. */
static void section_end(struct parse *parse)
{
    const int line = parse->line;

    if (parse->bare_line) {
        parse->line = parse->bare_line;
        parse_fail(parse, "[%s] is empty: give executable, comm, cgroup, user or group",
                   parse->bare);
        parse->line = line;
    }
    parse->bare_line = 0;
}

/* inih hands sections over with their keys only, and takes whatever stands behind them. */
static void section_begin(struct parse *parse, const char *line)
{
    const char *end = strchr(line, ']');
    char section[SECTION_SIZE];

    section_end(parse);
    if (!end)
        return; /* inih tells of it */
    snprintf(section, sizeof(section), "%.*s", (int)(end - line - 1), line + 1);
    const char *job = section_job(section);
    if (!job && strcmp(section, "service") != 0)
        section_fail(parse, section);
    if (job && config_find(parse->config, job) < 0)
        rule_add(parse, job);
    const char *behind = end + 1 + strspn(end + 1, blanks);
    if (*behind && !strchr(comments, *behind))
        parse_fail(parse, "'%.*s' is not usable behind a section: a comment begins with '#'",
                   (int)strcspn(behind, "\r\n"), behind);
    if (!job)
        return;
    parse->bare_line = parse->line;
    memcpy(parse->bare, section, strlen(section) + 1);
}

/* Before inih has the line. */
static void line_judge(struct parse *parse, const char *line)
{
    static const char mark[] = "\xef\xbb\xbf"; /* with which a text of UTF-8 may begin */

    if (parse->line == 1 && !strncmp(line, mark, strlen(mark)))
        line += strlen(mark);
    line += strspn(line, blanks);
    if (*line == '[')
        section_begin(parse, line);
    else if (*line && !strchr(comments, *line))
        parse->bare_line = 0; /* it says something, right or wrong */
}

/* ---- keys and values ---- */

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
    const char *job = section_job(section);
    const int found = job ? config_find(parse->config, job) : -ENOENT;

    if (!strcmp(section, "service"))
        return limit_set(parse->config, key, value, expected);
    if (found < 0) {
        section_fail(parse, section);
        return -EINVAL;
    }
    struct rule *rule = &parse->config->rules[found];
    snprintf(rule->origin, sizeof(rule->origin), "%s:%d", parse->file, parse->line);
    return rule_set(rule, key, value, expected);
}

/* inih's handler: 0 is an error to it. */
static int take_value(void *context, const char *section, const char *key, const char *value)
{
    struct parse *parse = context;
    char expected[FIELD_WORDS_SIZE] = "";

    if (key_is_double(parse, section, key))
        return parse_fail(parse, "'%s' is set twice, or its value goes on in this line", key);
    int error = value_set(parse, section, key, value, expected);
    if (error == -ENOENT)
        return parse_fail(parse, "'%s' is no key of [%s]", key, section);
    if (error)
        return parse_fail(parse, "%s = '%s' is not usable: expected %s", key, value, expected);
    return 1;
}

/* ---- lines ---- */

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
    line_judge(parse, line);
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
