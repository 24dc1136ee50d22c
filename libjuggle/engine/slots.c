/* SPDX-License-Identifier: BSD-3-Clause */
/* Which slots threads have. */
#include "libjuggle/engine/state.h"

#include <errno.h>

/* The first free slot; threads_max or beyond: there is none. */
static int first_free(const struct engine *engine)
{
    int word = 0;

    while (word < engine->threads_max / TAKEN_BITS && engine->taken[word] == UINT64_MAX)
        word++;
    if (engine->taken[word] == UINT64_MAX)
        return engine->threads_max;
    return word * TAKEN_BITS + __builtin_ctzll(~engine->taken[word]);
}

static uint64_t bit_of(int slot)
{
    return UINT64_C(1) << slot % TAKEN_BITS;
}

static void take(struct engine *engine, int slot)
{
    engine->slots[slot] = (struct slot){.state = SLOT_RESERVED};
    engine->taken[slot / TAKEN_BITS] |= bit_of(slot);
}

void slot_give(struct engine *engine, int slot)
{
    (void)HOLDS(&engine->fault, engine->taken[slot / TAKEN_BITS] & bit_of(slot));
    (void)HOLDS(&engine->fault, engine->slots[slot].state != SLOT_FREE);
    engine->slots[slot].state = SLOT_FREE;
    engine->slots[slot].fresh = false;
    engine->taken[slot / TAKEN_BITS] &= ~bit_of(slot);
}

int engine_slot_reserve(struct engine *engine, int *slot)
{
    int error = -ENOSPC;

    pthread_rwlock_wrlock(&engine->change_lock);
    const int first = first_free(engine);
    /* Two threads of one slot would be one to the policy, and one of them would starve. */
    if (first < engine->threads_max &&
        HOLDS(&engine->fault, engine->slots[first].state == SLOT_FREE)) {
        take(engine, first);
        *slot = first;
        error = 0;
    }
    pthread_rwlock_unlock(&engine->change_lock);
    return error;
}

bool slot_holds(struct engine *engine, int slot, enum slot_state first, enum slot_state last)
{
    return HOLDS(&engine->fault, slot >= 0 && slot < engine->threads_max) &&
           HOLDS(&engine->fault,
                 engine->slots[slot].state >= first && engine->slots[slot].state <= last);
}
