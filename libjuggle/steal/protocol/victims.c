/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/victims.h"

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

static const struct victim_ops victim_table[] = {
    [STEAL_VICTIM_UNIFORM] = {.next = next_uniform},
    [STEAL_VICTIM_ROUND_ROBIN] = {.next = next_round_robin},
};

static const struct victim_ops nobody = {.next = next_nobody};

void victims_init(struct victims *victims, const struct steal_properties *properties, int self,
                  int ranks)
{
    bool alone = properties->isolate || ranks == 1;

    *victims = (struct victims){.self = self, .ranks = ranks, .last = self};
    victims->ops = alone ? &nobody : &victim_table[properties->victim];
    prng_seed(&victims->prng, properties->seed ^ ((uint64_t)self << 32));
    if (victims->ops->init)
        victims->ops->init(victims);
}

int victims_next(struct victims *victims)
{
    return victims->ops->next(victims);
}

void victims_told(struct victims *victims, int victim, uint32_t count)
{
    if (victims->ops->told)
        victims->ops->told(victims, victim, count);
}
