/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration of juggled: its limits and rules, put together from the vendor's files and
 * the administrator's.
 *
 * The administrator's juggle.conf replaces the vendor's. Then the files of both conf.d
 * directories follow in the order of their names; a file of the administrator hides the vendor's
 * file of the same name. A later file overrides what an earlier one has set. */
#ifndef JUGGLE_JUGGLED_CONFIG_H
#define JUGGLE_JUGGLED_CONFIG_H

#include "juggled/rules/rule.h"

#include <stddef.h>

enum {
    CONFIG_RULES_MAX = 256,
    CONFIG_FILE_SIZE_MAX = 1 << 20,
    CONFIG_PROBLEM_SIZE = 512,
    CONFIG_LIMIT_SIZE = 128, /* of the message to a user who has reached a limit */
};

struct config {
    int jobs_max;
    int jobs_per_user;
    int threads_per_user;     /* balanced threads */
    int cpu_percent;          /* share of the time of all processors that the service may take */
    int cpu_percent_per_user; /* the same, for one user */
    int clients_per_user;
    int connects_per_second; /* of one user */
    int calls_per_second;    /* of one client */
    int rules_count;
    struct rule rules[CONFIG_RULES_MAX]; /* the first rule that matches a process takes it */
};

/* "FILE:LINE: reason" */
struct config_problem {
    char text[CONFIG_PROBLEM_SIZE];
};

/* Makes a configuration without rules, with the default limits. -ENOMEM. */
int config_create(struct config **config) MUST_CHECK;
void config_destroy(struct config *config);

/* Writes "more than 8 jobs of this user, see jobs-per-user in juggle.conf". */
void config_tell_limit(int limit, const char *what, const char *key, char told[CONFIG_LIMIT_SIZE]);

/* Returns the index of the rule of that name, or -ENOENT. */
int config_find(const struct config *config, const char *name) MUST_CHECK;

/* Finds the next rule with a key that has no effect, from *cursor on, 0 at first, and writes a
 * remark about it. False if there is none. */
bool config_unused(const struct config *config, int *cursor, struct config_problem *remark);

/* Adds the settings of a text; `file` is the name of its file. -EINVAL: see the problem; the
 * configuration may be changed then. Pure. */
int config_parse(struct config *config, const char *file, const char *text, size_t length,
                 struct config_problem *problem) MUST_CHECK;

/* The administrator's directory, if no other is named. */
#define CONFIG_DIRECTORY_USUAL JUGGLE_SYSCONFDIR "/juggle"

/* Reads all files below the two directories. Missing files are no error, nor are a missing vendor
 * directory and a missing CONFIG_DIRECTORY_USUAL: then nothing is configured. Files and directories
 * must belong to root or to the caller and be writable to no other user; symbolic links are not
 * followed. -EINVAL: see the problem. */
int config_load(const char *vendor_directory, const char *directory, struct config **config,
                struct config_problem *problem) MUST_CHECK;

#endif
