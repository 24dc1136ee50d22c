/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile configuration files: they are accepted, or refused with file, line and reason.
 *
 * A form feed ends a piece of the input. The first piece is the name of a process, each other one a
 * file: juggle.conf, then its drop-ins.
 */
#include "juggled/rules/config.h"

#include "libjuggle/join/name.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The configuration takes half a megabyte, so it is allocated once: a run changes only the part
 * before the rules. */
static struct config *config_reuse(void)
{
    static struct config *config, *fresh;

    if (!config && (config_create(&config) || config_create(&fresh)))
        abort();
    memcpy(config, fresh, offsetof(struct config, rules));
    return config;
}

static void expect_right(const struct rule *rule, const char *name)
{
    const struct process_facts facts = {name, name, name, 1, 1};
    const struct process_facts nameless = {.uid = 1, .gid = 1};
    char room[RULE_PROBLEM_SIZE];

    if (!join_name_is_right(rule->name) || !wish_equal(&rule->wish, &rule->wish))
        abort();
    (void)rule_problem(rule, room);
    (void)rule_matches(rule, &facts);
    (void)rule_matches(rule, &nameless);
}

/* Returns the length of the piece; *rest begins behind it. */
static size_t piece_cut(const char **rest, size_t *size)
{
    const char *end = memchr(*rest, '\f', *size);
    const size_t length = end ? (size_t)(end - *rest) : *size;
    const size_t skipped = length + (end != NULL);

    *rest += skipped;
    *size -= skipped;
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct config_problem problem = {""};
    struct config *config = config_reuse();
    const char *rest = (const char *)bytes, *piece = rest;
    char name[NAME_SIZE] = "";
    size_t length = piece_cut(&rest, &size);
    int error = 0;

    if (length)
        memcpy(name, piece, length < sizeof(name) ? length : sizeof(name) - 1);
    while (size && !error) {
        piece = rest;
        length = piece_cut(&rest, &size);
        error = config_parse(config, "f", piece, length, &problem);
    }
    if (error && strncmp(problem.text, "f:", 2) != 0)
        abort();
    for (int i = 0; i < config->rules_count; i++)
        expect_right(&config->rules[i], name);
    return 0;
}
