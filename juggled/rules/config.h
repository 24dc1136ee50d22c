/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration of juggled: its limits and rules, put together from the vendor's files and the
 * administrator's.
 *
 * juggle.conf of the administrator replaces that of the vendor; then all files of both conf.d
 * directories follow in the order of their names, where the administrator's hides the vendor's of
 * the same name. What a later file says replaces what an earlier one said. */
#ifndef JUGGLE_JUGGLED_CONFIG_H
#define JUGGLE_JUGGLED_CONFIG_H

#include "juggled/rules/rule.h"

#include <stddef.h>

enum {
    CONFIG_RULES_MAX = 256,
    CONFIG_FILE_SIZE_MAX = 1 << 20,
    CONFIG_PROBLEM_SIZE = 512,
    CONFIG_LIMIT_SIZE = 128, /* of what is said to who has reached a limit */
};

struct config {
    int jobs_max;
    int jobs_per_user;
    int threads_per_user;     /* that are balanced */
    int cpu_percent;          /* of all processors' time, for the service */
    int cpu_percent_per_user; /* of that, what one user may have spent for */
    int clients_per_user;
    int connects_per_second; /* of one user */
    int calls_per_second;    /* of one client */
    int rules_count;
    struct rule rules[CONFIG_RULES_MAX]; /* the first that matches a process has it */
};

/* "FILE:LINE: reason" */
struct config_problem {
    char text[CONFIG_PROBLEM_SIZE];
};

/* No rules, and limits that do. -ENOMEM. */
int config_create(struct config **config) MUST_CHECK;
void config_destroy(struct config *config);

/* "more than 8 jobs of this user, see jobs-per-user in juggle.conf" */
void config_tell_limit(int limit, const char *what, const char *key, char told[CONFIG_LIMIT_SIZE]);

/* Which rule has that name, or -ENOENT. */
int config_find(const struct config *config, const char *name) MUST_CHECK;

/* From *cursor on, 0 at first: the next rule with a key that nobody acts on, in words; false: there
 * is no other. */
bool config_unused(const struct config *config, int *cursor, struct config_problem *remark);

/* Adds what a text says, `file` is its name. -EINVAL: see the problem; what was there before may
 * be changed then. Pure. */
int config_parse(struct config *config, const char *file, const char *text, size_t length,
                 struct config_problem *problem) MUST_CHECK;

/* Reads all files below the two directories; it is no error that some, or all, are not there. Files
 * and directories must belong to root or to the caller and be writable to nobody else; no symbolic
 * link is followed. -EINVAL: see the problem. */
int config_load(const char *vendor_directory, const char *directory, struct config **config,
                struct config_problem *problem) MUST_CHECK;

#endif
