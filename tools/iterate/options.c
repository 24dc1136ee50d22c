/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/options.h"

#include <errno.h>

enum { ITERATIONS = 20, ITERATIONS_MAX = 1000000, ARITY_MIN = 2 };

void iterate_options_init(struct iterate_options *options)
{
    *options = (struct iterate_options){
        .scheme_name = "retain",
        .order = STEAL_ORDER_LONGEST,
        .iterations = ITERATIONS,
    };
}

/* Complains about the first option that has no effect with this scheme. */
static int scheme_check(const char *program, const struct iterate_options *options,
                        const struct scheme *scheme)
{
    const bool by_tree = scheme->balances && scheme->balancer == STEAL_BALANCER_HIERARCHICAL;
    const struct {
        const char *option, *what;
        bool is_idle;
    } rows[] = {
        {"tolerance", "balances", options->tolerance > 0 && !scheme->balances},
        {"donation", "balances", options->donation != STEAL_DONATION_SHORTEST && !scheme->balances},
        {"arity", "balances by a tree", options->arity > 0 && !by_tree},
        {"order", "keeps tasks",
         options->order != STEAL_ORDER_LONGEST && scheme->seed != SEED_KEPT},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (!rows[i].is_idle)
            continue;
        complain(program, "--%s needs a scheme that %s; '%s' does not", rows[i].option,
                 rows[i].what, scheme->name);
        return -EINVAL;
    }
    return 0;
}

int iterate_options_check(const char *program, const struct iterate_options *options)
{
    const struct scheme *scheme = scheme_find(options->scheme_name);

    if (!scheme) {
        complain(program,
                 "--scheme: '%s' is not usable: expected stealall, steal, retain, central, "
                 "hierarchical, combined or static",
                 options->scheme_name);
        return -EINVAL;
    }
    if (options->iterations > ITERATIONS_MAX) {
        complain(program, "--iterations: %d are too many: expected 1 to %d", options->iterations,
                 ITERATIONS_MAX);
        return -EINVAL;
    }
    if (options->tolerance != 0 && options->tolerance < 1) {
        complain(program, "--tolerance: %g is not usable: expected a factor of 1 or more",
                 options->tolerance);
        return -EINVAL;
    }
    if (options->arity != 0 && options->arity < ARITY_MIN) {
        complain(program, "--arity: %d is not usable: expected %d or more", options->arity,
                 ARITY_MIN);
        return -EINVAL;
    }
    return scheme_check(program, options, scheme);
}
