/* SPDX-License-Identifier: BSD-3-Clause */
/* A rule: the processes that a [job NAME] section of the configuration matches, and the wish for
 * them. A plain value. Pure. */
#ifndef JUGGLE_JUGGLED_RULE_H
#define JUGGLE_JUGGLED_RULE_H

#include "libjuggle/join/name.h"
#include "libjuggle/wish/wish.h"

#include <sys/types.h>

enum {
    RULE_PATTERN_SIZE = 192,
    RULE_ORIGIN_SIZE = 256,
    RULE_PROBLEM_SIZE = 128,
};

struct rule {
    char name[JOIN_NAME_SIZE];
    char origin[RULE_ORIGIN_SIZE]; /* "FILE:LINE" of the last key that was set in it */
    bool enabled;                  /* a drop-in can switch off a rule of the vendor */

    /* All patterns that are given must match. An empty one is not given. */
    char executable[RULE_PATTERN_SIZE]; /* pattern of a path; '*' matches slashes, too */
    char comm[RULE_PATTERN_SIZE];
    char cgroup[RULE_PATTERN_SIZE]; /* pattern of a path; control groups below it match, too */
    char user[RULE_PATTERN_SIZE];   /* as written: a name or a number */
    char group[RULE_PATTERN_SIZE];
    uid_t uid; /* of `user`, once resolved */
    gid_t gid;

    struct wish wish;
};

/* The facts about a process. A text that could not be read is NULL and matches no pattern. */
struct process_facts {
    const char *executable;
    const char *comm;
    const char *cgroup;
    uid_t uid;
    gid_t gid;
};

/* Sets one key, of the rule or of its wish. -ENOENT: there is no such key; -EINVAL: the value is
 * not usable; `expected` says what would be. */
int rule_set(struct rule *rule, const char *key, const char *value,
             char expected[FIELD_WORDS_SIZE]) MUST_CHECK;

/* Returns why the rule is unusable on any machine, in words for which there is `room`, or NULL. */
const char *rule_problem(const struct rule *rule, char room[RULE_PROBLEM_SIZE]);

bool rule_matches(const struct rule *rule, const struct process_facts *facts);

/* True if both match the same processes and have the same wish for them. */
bool rule_equal(const struct rule *a, const struct rule *b);

#endif
