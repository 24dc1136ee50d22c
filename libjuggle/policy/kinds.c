/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of policies, and what differs between them. */
#include "libjuggle/policy/state.h"

#include <errno.h>
#include <string.h>

static const struct policy_ops static_ops = {.name = "static"};
static const struct policy_ops none_ops = {.name = "none", .observes_only = true};

static const struct policy_ops *const policy_kinds[POLICY_KINDS_COUNT] = {
    [POLICY_JUGGLE] = &policy_juggle_ops,
    [POLICY_PAPER] = &policy_paper_ops,
    [POLICY_IDEAL] = &policy_ideal_ops,
    [POLICY_STATIC] = &static_ops,
    [POLICY_NONE] = &none_ops,
};

const char *policy_kind_name(enum policy_kind kind)
{
    return policy_kinds[kind]->name;
}

int policy_kind_parse(const char *name, enum policy_kind *kind)
{
    for (int i = 0; i < POLICY_KINDS_COUNT; i++) {
        if (!strcmp(policy_kinds[i]->name, name)) {
            *kind = (enum policy_kind)i;
            return 0;
        }
    }
    return -EINVAL;
}

const struct policy_ops *policy_ops_of(const struct policy *policy)
{
    return policy_kinds[policy->options.kind];
}

/* True if the period follows the phases. Then it cannot fall into step with them, and needs no
 * jitter. */
static bool period_is_learned(const struct policy *policy)
{
    return policy->options.kind == POLICY_JUGGLE && !policy->options.period_ns;
}

double policy_draw_stretch(const struct policy *policy, struct domain *domain)
{
    if (policy->options.jitter <= 0 || period_is_learned(policy))
        return 1;
    return 1 + (2 * prng_unit(&domain->prng) - 1) * policy->options.jitter;
}
