/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/donation.h"

static struct token token_of(const struct donation *donation, const struct ledger *ledger,
                             uint32_t index)
{
    return (struct token){
        .load_ns = history_expect(ledger_history_at(ledger, index), donation->mean_ns),
        .origin = donation->rank,
        .slot = index};
}

/* Gives the shortest tasks first, as published; returns how many. */
static uint32_t give_shortest(struct donation *donation, const struct ledger *ledger,
                              const uint32_t *order, uint32_t count, struct token *tokens)
{
    uint32_t given = 0;

    for (uint32_t i = 0; i < count && donation->load_ns > donation->keep_ns; i++) {
        const struct token token = token_of(donation, ledger, order[i]);

        if (token.load_ns <= 0)
            continue;
        tokens[given++] = token;
        donation->load_ns -= token.load_ns;
    }
    return given;
}

/* Gives few tasks: from the longest on, those that do not take the rank below the average. Moves
 * the others to the end of `order`. Returns how many it gave, which is where the others begin. */
static uint32_t give_longest(struct donation *donation, const struct ledger *ledger,
                             uint32_t *order, struct token *tokens)
{
    uint32_t given = 0, kept = ledger->count;

    for (uint32_t i = ledger->count; i-- > 0;) {
        const struct token token = token_of(donation, ledger, order[i]);

        if (token.load_ns > 0 && donation->load_ns > donation->keep_ns &&
            donation->load_ns - token.load_ns >= donation->average_ns) {
            tokens[given++] = token;
            donation->load_ns -= token.load_ns;
        } else {
            order[--kept] = order[i];
        }
    }
    return given;
}

uint32_t donation_choose(enum steal_donation which, struct donation donation,
                         const struct ledger *ledger, uint32_t *order, struct token *tokens)
{
    uint32_t given = 0;

    if (which == STEAL_DONATION_LONGEST)
        given = give_longest(&donation, ledger, order, tokens);
    return given +
           give_shortest(&donation, ledger, order + given, ledger->count - given, tokens + given);
}
