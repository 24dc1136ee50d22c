/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the files of the configuration, and looks up the users and groups that its rules name. */
#include "juggled/rules/config.h"

#include "juggled/rules/trusted.h"
#include "cli/suffix.h"
#include "libjuggle/wish/value.h"

#include <errno.h>
#include <grp.h>
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
};

static int problem_set(struct config_problem *problem, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem->text, sizeof(problem->text), format, arguments);
    va_end(arguments);
    return -EINVAL;
}

/* ---- what rules name ---- */

/* Finds the number of a user or group that is given by name or number. False if there is none. */
static bool id_find(const char *text, bool is_group, uint32_t *id)
{
    const struct passwd *user;
    const struct group *group;
    int64_t number;

    if (number_parse(text, 0, UINT32_MAX - 1, &number) == 0)
        *id = (uint32_t)number;
    else if (is_group && (group = getgrnam(text)))
        *id = group->gr_gid;
    else if (!is_group && (user = getpwnam(text)))
        *id = user->pw_uid;
    else
        return false;
    return true;
}

/* Checks and resolves a rule after all files have been read. */
static int rule_complete(struct rule *rule, struct config_problem *problem)
{
    char room[RULE_PROBLEM_SIZE];

    if (!rule->enabled)
        return 0;
    const char *reason = rule_problem(rule, room);
    if (reason)
        return problem_set(problem, "%s: [job %s] %s", rule->origin, rule->name, reason);
    if (*rule->user && !id_find(rule->user, false, &rule->uid))
        return problem_set(problem, "%s: [job %s] there is no user '%s'", rule->origin, rule->name,
                           rule->user);
    if (*rule->group && !id_find(rule->group, true, &rule->gid))
        return problem_set(problem, "%s: [job %s] there is no group '%s'", rule->origin, rule->name,
                           rule->group);
    return 0;
}

/* ---- files ---- */

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

/* A drop-in, and the index of the directory where it lies. */
struct drop_in {
    char name[NAME_MAX + 1];
    int directory;
};

struct drop_ins {
    int count;
    int directory; /* index of the directory that is being read */
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

    if (!has_suffix(name, ".conf"))
        return 0;
    for (int i = 0; i < drop_ins->count; i++)
        if (!strcmp(drop_ins->list[i].name, name))
            return 0; /* hidden by a file of the administrator, whose directory is read first */
    if (drop_ins->count == DROP_INS_MAX)
        return -E2BIG;
    struct drop_in *drop_in = &drop_ins->list[drop_ins->count++];
    memcpy(drop_in->name, name, strlen(name) + 1);
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

/* A directory that somebody has named is a mistake if it is missing: no rule would be left. */
static bool may_be_missing(const char *directory, int i)
{
    return i > 0 || !strcmp(directory, CONFIG_DIRECTORY_USUAL);
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
        if (opened && (opened != -ENOENT || !may_be_missing(directories[i], i)))
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
