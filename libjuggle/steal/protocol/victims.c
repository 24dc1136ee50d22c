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

static const struct victim_ops uniform_victims = {.next = next_uniform};
static const struct victim_ops round_robin_victims = {.next = next_round_robin};
static const struct victim_ops nobody = {.next = next_nobody};

static const struct victim_ops *const victim_table[] = {
    [STEAL_VICTIM_UNIFORM] = &uniform_victims,
    [STEAL_VICTIM_ROUND_ROBIN] = &round_robin_victims,
    [STEAL_VICTIM_SKEWED] = &skewed_victims,
    [STEAL_VICTIM_NEAREST] = &nearest_victims,
};

static const struct victim_ops *ops_of(const struct steal_properties *properties,
                                       const struct places *places)
{
    return properties->isolate || places->ranks == 1 ? &nobody : victim_table[properties->victim];
}

size_t victims_memory_size(const struct steal_properties *properties, const struct places *places)
{
    const struct victim_ops *ops = victim_table[properties->victim];

    return ops->memory_size ? ops->memory_size(places) : 0;
}

void victims_init(struct victims *victims, const struct steal_properties *properties, int self,
                  const struct places *places, void *memory)
{
    *victims = (struct victims){.ops = ops_of(properties, places),
                                .self = self,
                                .ranks = places->ranks,
                                .last = self,
                                .places = places,
                                .exponent = properties->exponent};
    prng_seed(&victims->prng, properties->seed ^ ((uint64_t)self << 32));
    if (victims->ops->init)
        victims->ops->init(victims, memory);
}

int victims_next(struct victims *victims)
{
    return victims->ops->next(victims);
}

void victims_answered(struct victims *victims, int victim, uint32_t count)
{
    if (victims->ops->answered)
        victims->ops->answered(victims, victim, count);
}
