/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/strategy.h"

#include <errno.h>
#include <string.h>

/* ---- victims ------------------------------------------------------------------------------- */

static int next_uniform(struct victims *victims)
{
    int other = (int)prng_below(&victims->prng, (uint64_t)victims->ranks - 1);

    return other < victims->self ? other : other + 1;
}

static int next_round_robin(struct victims *victims)
{
    do
        victims->last = (victims->last + 1) % victims->ranks;
    while (victims->last == victims->self);
    return victims->last;
}

static int next_nobody(struct victims *victims)
{
    (void)victims;
    return NO_VICTIM;
}

static const struct {
    const char *name;
    int (*next)(struct victims *victims);
} victim_table[] = {
    [STEAL_VICTIM_UNIFORM] = {"uniform", next_uniform},
    [STEAL_VICTIM_ROUND_ROBIN] = {"round-robin", next_round_robin},
};

void victims_init(struct victims *victims, enum steal_victim victim, bool isolate, int self,
                  int ranks, uint64_t seed)
{
    *victims = (struct victims){.self = self, .ranks = ranks, .last = self};
    victims->next = isolate || ranks == 1 ? next_nobody : victim_table[victim].next;
    prng_seed(&victims->prng, seed ^ ((uint64_t)self << 32));
}

int victims_next(struct victims *victims)
{
    return victims->next(victims);
}

/* ---- amounts ------------------------------------------------------------------------------- */

static uint32_t amount_half(uint32_t chunk, uint32_t available)
{
    (void)chunk;
    return available / 2 + available % 2;
}

static uint32_t amount_chunk(uint32_t chunk, uint32_t available)
{
    return available < chunk ? 0 : chunk;
}

/* stealHandler() of the lifeline paper. */
static uint32_t amount_k(uint32_t chunk, uint32_t available)
{
    if (chunk < available)
        return chunk;
    return chunk / 2 < available ? chunk / 2 : 0;
}

static const struct {
    const char *name;
    uint32_t (*of)(uint32_t chunk, uint32_t available);
} amount_table[] = {
    [STEAL_AMOUNT_HALF] = {"half", amount_half},
    [STEAL_AMOUNT_CHUNK] = {"chunk", amount_chunk},
    [STEAL_AMOUNT_K] = {"k", amount_k},
};

uint32_t amount_of(enum steal_amount amount, uint32_t chunk, uint32_t available)
{
    return amount_table[amount].of(chunk, available);
}

/* ---- names --------------------------------------------------------------------------------- */

static const char *const termination_names[] = {
    [STEAL_TERMINATION_TREE] = "tree",
    [STEAL_TERMINATION_RING] = "ring",
};

static const char *const mode_names[] = {
    [STEAL_MODE_POLLING] = "polling",
    [STEAL_MODE_THREADS] = "threads",
};

const char *steal_choice_name(enum steal_choice choice, int value)
{
    const size_t index = (size_t)value;

    switch (choice) {
    case STEAL_CHOICE_VICTIM:
        return index < ARRAY_COUNT(victim_table) ? victim_table[index].name : NULL;
    case STEAL_CHOICE_AMOUNT:
        return index < ARRAY_COUNT(amount_table) ? amount_table[index].name : NULL;
    case STEAL_CHOICE_TERMINATION:
        return index < ARRAY_COUNT(termination_names) ? termination_names[index] : NULL;
    case STEAL_CHOICE_MODE:
        return index < ARRAY_COUNT(mode_names) ? mode_names[index] : NULL;
    }
    return NULL;
}

int steal_choice_parse(enum steal_choice choice, const char *name, int *value)
{
    const char *found;

    for (int i = 0; (found = steal_choice_name(choice, i)); i++) {
        if (strcmp(found, name) == 0) {
            *value = i;
            return 0;
        }
    }
    return -EINVAL;
}
