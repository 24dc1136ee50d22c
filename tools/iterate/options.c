/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/options.h"

#include <errno.h>

enum { ITERATIONS = 14, ARITY_MIN = 2 };

int iterate_option_mode(const char *text, void *target, const char **expected)
{
    int mode;

    *expected = "polling or threads";
    const int error = steal_choice_parse(STEAL_CHOICE_MODE, text, &mode);
    if (!error)
        *(enum steal_mode *)target = (enum steal_mode)mode;
    return error;
}

void iterate_options_init(struct iterate_options *options)
{
    *options = (struct iterate_options){
        .scheme_name = "retain",
        .order = STEAL_ORDER_LONGEST,
        .iterations = ITERATIONS,
        .prediction_name = "last",
    };
}

static int refuse_name(const char *program, const char *option, const char *name,
                       enum steal_choice choice)
{
    int value;

    if (!name || steal_choice_parse(choice, name, &value) == 0)
        return 0;
    complain(program, "--%s: '%s' is not usable: see '%s --help'", option, name, program);
    return -EINVAL;
}

/* Where nobody would act on what was asked. */
static int scheme_check(const char *program, const struct iterate_options *options,
                        const struct scheme *scheme)
{
    const bool by_tree = scheme->balances && scheme->balancer == STEAL_BALANCER_HIERARCHICAL;
    const struct {
        const char *option, *what;
        bool is_idle;
    } rows[] = {
        {"tolerance", "balances", options->tolerance > 0 && !scheme->balances},
        {"donation", "balances", options->donation_name && !scheme->balances},
        {"arity", "balances by a tree", options->arity > 0 && !by_tree},
        {"order", "keeps tasks",
         options->order != STEAL_ORDER_LONGEST && scheme->seed != SEED_KEPT},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (!rows[i].is_idle)
            continue;
        complain(program, "--%s: is of a scheme that %s, and '%s' is none", rows[i].option,
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
    int error = refuse_name(program, "donation", options->donation_name, STEAL_CHOICE_DONATION);
    if (!error)
        error = refuse_name(program, "prediction", options->prediction_name,
                            STEAL_CHOICE_PREDICTION);
    return error < 0 ? error : scheme_check(program, options, scheme);
}
