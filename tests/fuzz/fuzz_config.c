/* SPDX-License-Identifier: BSD-3-Clause */
/* A hostile configuration file: it is taken or refused with file, line and reason. */
#include "juggle/service/config.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void expect_right(const struct rule *rule)
{
    static const struct process_facts facts = {"/usr/bin/app", "app", "/a/b", 1, 1};

    if (!join_name_is_right(rule->name))
        abort();
    (void)rule_problem(rule);
    (void)rule_matches(rule, &facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct config_problem problem = {""};
    struct config *config;

    if (config_create(&config))
        abort();
    if (config_parse(config, "f", (const char *)bytes, size, &problem) &&
        strncmp(problem.text, "f:", 2) != 0)
        abort();
    for (int i = 0; i < config->rules_count; i++)
        expect_right(&config->rules[i]);
    config_destroy(config);
    return 0;
}
