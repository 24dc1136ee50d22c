/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/donation.h"

struct choice {
    const struct donation *donation;
    const struct ledger *ledger;
    struct token *tokens;
    uint32_t count;
    int64_t load_ns; /* load that the rank still has */
};

static struct token choice_token(const struct choice *choice, uint32_t index)
{
    const struct donation *donation = choice->donation;

    return (struct token){
        .load_ns = history_expect(ledger_history_at(choice->ledger, index), donation->mean_ns),
        .origin = donation->rank,
        .slot = index};
}

static void choice_give(struct choice *choice, struct token token)
{
    choice->tokens[choice->count++] = token;
    choice->load_ns -= token.load_ns;
}

/* Gives the shortest tasks first, as published. */
static void give_shortest(struct choice *choice, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count && choice->load_ns > choice->donation->keep_ns; i++) {
        const struct token token = choice_token(choice, order[i]);

        if (token.load_ns > 0)
            choice_give(choice, token);
    }
}

/* Gives few tasks: from the longest on, those that do not take the rank below the average. Moves
 * the others to the end of `order`, and returns where they begin. */
static uint32_t give_longest(struct choice *choice, uint32_t *order, uint32_t count)
{
    const struct donation *donation = choice->donation;
    uint32_t kept = count;

    for (uint32_t i = count; i-- > 0;) {
        const struct token token = choice_token(choice, order[i]);

        if (token.load_ns > 0 && choice->load_ns > donation->keep_ns &&
            choice->load_ns - token.load_ns >= donation->average_ns)
            choice_give(choice, token);
        else
            order[--kept] = order[i];
    }
    return kept;
}

uint32_t donation_choose(const struct donation *donation, const struct ledger *ledger,
                         uint32_t *order, struct token *tokens)
{
    struct choice choice = {
        .donation = donation, .ledger = ledger, .tokens = tokens, .load_ns = donation->load_ns};

    uint32_t first = 0;

    if (donation->donation == STEAL_DONATION_LONGEST)
        first = give_longest(&choice, order, ledger->count);
    give_shortest(&choice, order + first, ledger->count - first);
    return choice.count;
}
