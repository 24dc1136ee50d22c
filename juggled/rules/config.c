/* SPDX-License-Identifier: BSD-3-Clause */
/* In this order: create and destroy; one text, with its sections, keys and values; all files, and
 * the users and groups that rules name. */
#include "juggled/rules/config.h"

#include "juggled/rules/trusted.h"
#include "libjuggle/wish/value.h"

#include <errno.h>
#include <grp.h>
#include <ini.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_SIZE = 512,
    DROP_INS_MAX = 256,
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

static int problem_set(struct config_problem *problem, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem->text, sizeof(problem->text), format, arguments);
    va_end(arguments);
    return -EINVAL;
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
    problem_set(parse->problem, "%s:%d: %s", parse->file, parse->line, reason);
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
        return problem_set(problem,
                           "%s:%d: expected '[service]', '[job NAME]', 'key = value' or a "
                           "comment behind '#'",
                           file, line);
    return parse.problem_line ? -EINVAL : 0;
}

/* ---- all files ---- */

static int resolve_user(struct rule *rule)
{
    int64_t number;

    if (number_parse(rule->user, 0, UINT32_MAX - 1, &number) == 0) {
        rule->uid = (uid_t)number;
        return 0;
    }
    const struct passwd *user = getpwnam(rule->user);
    if (!user)
        return -ENOENT;
    rule->uid = user->pw_uid;
    return 0;
}

static int resolve_group(struct rule *rule)
{
    int64_t number;

    if (number_parse(rule->group, 0, UINT32_MAX - 1, &number) == 0) {
        rule->gid = (gid_t)number;
        return 0;
    }
    const struct group *group = getgrnam(rule->group);
    if (!group)
        return -ENOENT;
    rule->gid = group->gr_gid;
    return 0;
}

/* What can be judged only when all is read. */
static int rule_complete(struct rule *rule, struct config_problem *problem)
{
    if (!rule->enabled)
        return 0;
    const char *reason = rule_problem(rule);
    if (reason)
        return problem_set(problem, "%s: [job %s] %s", rule->origin, rule->name, reason);
    if (*rule->user && resolve_user(rule))
        return problem_set(problem, "%s: [job %s] there is no user '%s'", rule->origin, rule->name,
                           rule->user);
    if (*rule->group && resolve_group(rule))
        return problem_set(problem, "%s: [job %s] there is no group '%s'", rule->origin, rule->name,
                           rule->group);
    return 0;
}

static int file_load(struct config *config, int dir_fd, const char *name,
                     struct config_problem *problem, const char *path)
{
    char *text = NULL;
    size_t length;
    int error = trusted_read(dir_fd, name, CONFIG_FILE_SIZE_MAX, &text, &length);

    if (error == -ENOENT)
        return error;
    if (error)
        return problem_set(problem, "%s: %s", path, trusted_problem(error));
    error = config_parse(config, path, text, length, problem);
    free(text);
    return error;
}

static int main_file_load(struct config *config, const char *const directories[2], const int fds[2],
                          struct config_problem *problem)
{
    for (int i = 0; i < 2; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof(path), "%s/juggle.conf", directories[i]);
        int error = fds[i] < 0 ? -ENOENT : file_load(config, fds[i], "juggle.conf", problem, path);
        if (error != -ENOENT)
            return error;
    }
    return 0;
}

/* A drop-in, and in which of the directories it lies. */
struct drop_in {
    char name[NAME_MAX + 1];
    int directory;
};

struct drop_ins {
    int count;
    int directory; /* that is being read */
    struct drop_in list[DROP_INS_MAX];
};

static int drop_in_compare(const void *left, const void *right)
{
    const struct drop_in *a = left, *b = right;

    return strcmp(a->name, b->name);
}

static int drop_in_add(void *context, const char *name)
{
    struct drop_ins *drop_ins = context;
    const size_t length = strlen(name);

    if (length < strlen(".conf") || strcmp(name + length - strlen(".conf"), ".conf") != 0)
        return 0;
    for (int i = 0; i < drop_ins->count; i++)
        if (!strcmp(drop_ins->list[i].name, name))
            return 0; /* hidden by the administrator's, which were read first */
    if (drop_ins->count == DROP_INS_MAX)
        return -E2BIG;
    struct drop_in *drop_in = &drop_ins->list[drop_ins->count++];
    memcpy(drop_in->name, name, length + 1);
    drop_in->directory = drop_ins->directory;
    return 0;
}

static int drop_ins_load(struct config *config, const char *const directories[2], const int fds[2],
                         struct drop_ins *drop_ins, struct config_problem *problem)
{
    for (int i = 0; i < 2; i++) {
        drop_ins->directory = i;
        int error = fds[i] < 0 ? -ENOENT : trusted_list(fds[i], "conf.d", drop_in_add, drop_ins);
        if (error && error != -ENOENT)
            return problem_set(problem, "%s/conf.d: %s", directories[i], trusted_problem(error));
    }
    qsort(drop_ins->list, (size_t)drop_ins->count, sizeof(drop_ins->list[0]), drop_in_compare);
    for (int i = 0; i < drop_ins->count; i++) {
        const struct drop_in *drop_in = &drop_ins->list[i];
        char name[sizeof("conf.d/") + NAME_MAX], path[2 * PATH_SIZE];
        memcpy(stpcpy(name, "conf.d/"), drop_in->name, sizeof(drop_in->name));
        snprintf(path, sizeof(path), "%s/%s", directories[drop_in->directory], name);
        int error = file_load(config, fds[drop_in->directory], name, problem, path);
        if (error && error != -ENOENT)
            return error;
    }
    return 0;
}

static int files_load(struct config *config, const char *const directories[2], const int fds[2],
                      struct config_problem *problem)
{
    struct drop_ins *drop_ins = calloc(1, sizeof(*drop_ins));

    if (!drop_ins)
        return problem_set(problem, "no memory for the files of conf.d: %s", strerror(ENOMEM));
    int error = main_file_load(config, directories, fds, problem);
    if (!error)
        error = drop_ins_load(config, directories, fds, drop_ins, problem);
    free(drop_ins);
    for (int i = 0; !error && i < config->rules_count; i++)
        error = rule_complete(&config->rules[i], problem);
    return error;
}

int config_load(const char *vendor_directory, const char *directory, struct config **result,
                struct config_problem *problem)
{
    const char *const directories[2] = {directory, vendor_directory};
    int fds[2] = {-1, -1};
    struct config *config = NULL;
    int error = config_create(&config);

    if (error)
        return problem_set(problem, "no memory for the configuration: %s", strerror(-error));
    for (int i = 0; !error && i < 2; i++) {
        int opened = trusted_directory(directories[i], &fds[i]);
        if (opened && opened != -ENOENT)
            error = problem_set(problem, "%s: %s", directories[i], trusted_problem(opened));
    }
    if (!error)
        error = files_load(config, directories, fds, problem);
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (error) {
        config_destroy(config);
        return error;
    }
    *result = config;
    return 0;
}
