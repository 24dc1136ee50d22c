/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/choices.h"

#include "cli/options.h"
#include "tools/iterate/scheme.h"

int option_start(const char *text, void *target, const char **expected)
{
    static const char *const words[] = {[START_DEALT] = "dealt", [START_BLOCKS] = "blocks"};

    *expected = "dealt or blocks";
    return option_word(text, words, ARRAY_COUNT(words), target);
}

#define OPTION_CHOICE(option, choice, expectation)                    \
    int option(const char *text, void *target, const char **expected) \
    {                                                                 \
        *expected = (expectation);                                    \
        return steal_choice_parse((choice), text, target);            \
    }

OPTION_CHOICE(option_mode, STEAL_CHOICE_MODE, "polling or threads")
OPTION_CHOICE(option_victim, STEAL_CHOICE_VICTIM, "uniform, round-robin, skewed or nearest")
OPTION_CHOICE(option_amount, STEAL_CHOICE_AMOUNT, "half, chunk or k")
OPTION_CHOICE(option_termination, STEAL_CHOICE_TERMINATION, "tree, ring or finish")
OPTION_CHOICE(option_order, STEAL_CHOICE_ORDER, "executed or longest")
OPTION_CHOICE(option_donation, STEAL_CHOICE_DONATION, "shortest or longest")
OPTION_CHOICE(option_prediction, STEAL_CHOICE_PREDICTION, "last, mean or weighted")
