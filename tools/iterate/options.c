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
        .donation_name = "shortest",
        .prediction_name = "last",
    };
}

static int refuse_name(const char *program, const char *option, const char *name,
                       enum steal_choice choice)
{
    int value;

    if (steal_choice_parse(choice, name, &value) == 0)
        return 0;
    complain(program, "--%s: '%s' is not usable: see '%s --help'", option, name, program);
    return -EINVAL;
}

int iterate_options_check(const char *program, const struct iterate_options *options)
{
    if (!scheme_find(options->scheme_name)) {
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
    const int error = refuse_name(program, "donation", options->donation_name,
                                  STEAL_CHOICE_DONATION);
    return error < 0 ? error
                     : refuse_name(program, "prediction", options->prediction_name,
                                   STEAL_CHOICE_PREDICTION);
}
