/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processes a [job NAME] section of the configuration means. A plain value. Pure. */
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
    char origin[RULE_ORIGIN_SIZE]; /* "FILE:LINE" that spoke of it last */
    bool enabled;                  /* a drop-in can switch off what the vendor has switched on */

    /* All that are given must match; empty ones are not given. */
    char executable[RULE_PATTERN_SIZE]; /* pattern of a path; '*' stops at no slash */
    char comm[RULE_PATTERN_SIZE];
    char cgroup[RULE_PATTERN_SIZE]; /* pattern of a path; what is below it matches, too */
    char user[RULE_PATTERN_SIZE];   /* as written: a name or a number */
    char group[RULE_PATTERN_SIZE];
    uid_t uid; /* of `user`, once resolved */
    gid_t gid;

    struct wish wish;
};

/* What is known of a process; a text that could not be read is NULL and matches nothing. */
struct process_facts {
    const char *executable;
    const char *comm;
    const char *cgroup;
    uid_t uid;
    gid_t gid;
};

/* The value of one key, of its own or of the wish. -ENOENT: there is no such key; -EINVAL after
 * putting what would have been right into words. */
int rule_set(struct rule *rule, const char *key, const char *value,
             char expected[FIELD_WORDS_SIZE]) MUST_CHECK;

/* What makes it unusable on any machine: in words, for which there is `room`, or NULL. */
const char *rule_problem(const struct rule *rule, char room[RULE_PROBLEM_SIZE]);

bool rule_matches(const struct rule *rule, const struct process_facts *facts);

/* Both mean the same processes, and wish the same for them. */
bool rule_equal(const struct rule *a, const struct rule *b);

#endif
