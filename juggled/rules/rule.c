/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/rules/rule.h"

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool is_path(const char *value)
{
    return *value == '/';
}

/* The kernel cuts off names, so a longer name would match no process. */
static bool is_comm(const char *value)
{
    return *value && (strlen(value) < COMM_SIZE || strpbrk(value, "*?[\\"));
}

static bool is_text(const char *value)
{
    return *value != '\0';
}

static const struct {
    const char *name;
    size_t offset;
    bool (*is_right)(const char *value);
    const char *expected;
} matchers[] = {
    {"executable", offsetof(struct rule, executable), is_path, "an absolute path or pattern"},
    {"comm", offsetof(struct rule, comm), is_comm, "a name of at most 15 characters, or a pattern"},
    {"cgroup", offsetof(struct rule, cgroup), is_path, "a path or pattern that begins with /"},
    {"user", offsetof(struct rule, user), is_text, "the name or number of a user"},
    {"group", offsetof(struct rule, group), is_text, "the name or number of a group"},
};

static const struct field enabled = {
    .key = "enabled",
    .type = FIELD_FLAG,
    .offset = offsetof(struct rule, enabled),
};

int rule_set(struct rule *rule, const char *key, const char *value, char expected[FIELD_WORDS_SIZE])
{
    const struct field *field = strcmp(key, enabled.key) ? wish_field_by_key(key) : &enabled;

    for (size_t i = 0; i < ARRAY_COUNT(matchers); i++) {
        if (strcmp(key, matchers[i].name))
            continue;
        snprintf(expected, FIELD_WORDS_SIZE, "%s", matchers[i].expected);
        if (strlen(value) >= RULE_PATTERN_SIZE || !matchers[i].is_right(value))
            return -EINVAL;
        memcpy((char *)rule + matchers[i].offset, value, strlen(value) + 1);
        return 0;
    }
    if (!field)
        return -ENOENT;
    field_expects(field, expected);
    /* An empty value of an environment variable means no, but a key without a value is a
     * mistake. */
    if (!*value)
        return -EINVAL;
    return field_set(field, field == &enabled ? (void *)rule : &rule->wish, value) ? -EINVAL : 0;
}

/* Returns why the domains would be refused on any machine. Which processors exist is checked
 * only when a process is taken. */
static const char *domains_problem(const struct wish *wish, char room[RULE_PROBLEM_SIZE])
{
    struct cpu_mask named, twice, cpus;

    if (!*wish->domains || cpu_mask_parse_lists(wish->domains, &named, &twice))
        return NULL;
    if (cpu_mask_count(&twice)) {
        snprintf(room, RULE_PROBLEM_SIZE, "domains: processor %d is named twice",
                 cpu_mask_next(&twice, -1));
        return room;
    }
    if (!*wish->cpus || cpu_mask_parse(wish->cpus, &cpus))
        return NULL;
    for (int cpu = cpu_mask_next(&named, -1); cpu >= 0; cpu = cpu_mask_next(&named, cpu)) {
        if (cpu_mask_has(&cpus, cpu))
            continue;
        snprintf(room, RULE_PROBLEM_SIZE, "domains: processor %d is none of 'processors'", cpu);
        return room;
    }
    return NULL;
}

/* True if the list is a single processor, on which nothing can be balanced. */
static bool is_lone(const char *processors)
{
    struct cpu_mask named, twice;

    return *processors && !cpu_mask_parse_lists(processors, &named, &twice) &&
           cpu_mask_count(&named) == 1;
}

const char *rule_problem(const struct rule *rule, char room[RULE_PROBLEM_SIZE])
{
    const char *problem = wish_problem(&rule->wish);
    bool is_matched = false;

    for (size_t i = 0; i < ARRAY_COUNT(matchers); i++)
        is_matched = is_matched || ((const char *)rule)[matchers[i].offset];
    if (!is_matched)
        return "matches every process: give executable, comm, cgroup, user or group";
    if (!problem)
        problem = domains_problem(&rule->wish, room);
    if (!problem && is_lone(rule->wish.cpus))
        problem = "processors: that is one only, where nothing can be balanced";
    if (!problem && is_lone(rule->wish.domains))
        problem = "domains: that is one processor only, where nothing can be balanced";
    return problem;
}

static bool fits(const char *pattern, const char *text, int flags)
{
    return !*pattern || (text && fnmatch(pattern, text, flags) == 0);
}

bool rule_matches(const struct rule *rule, const struct process_facts *facts)
{
    return rule->enabled && (!*rule->user || rule->uid == facts->uid) &&
           (!*rule->group || rule->gid == facts->gid) && fits(rule->comm, facts->comm, 0) &&
           fits(rule->executable, facts->executable, 0) &&
           fits(rule->cgroup, facts->cgroup, FNM_LEADING_DIR);
}

bool rule_equal(const struct rule *a, const struct rule *b)
{
    bool equal = a->enabled == b->enabled && a->uid == b->uid && a->gid == b->gid &&
                 wish_equal(&a->wish, &b->wish);

    for (size_t i = 0; i < ARRAY_COUNT(matchers); i++)
        equal = equal &&
                !strcmp((const char *)a + matchers[i].offset, (const char *)b + matchers[i].offset);
    return equal;
}
