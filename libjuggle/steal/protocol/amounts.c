/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/amounts.h"

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

static uint32_t (*const amount_table[])(uint32_t chunk, uint32_t available) = {
    [STEAL_AMOUNT_HALF] = amount_half,
    [STEAL_AMOUNT_CHUNK] = amount_chunk,
    [STEAL_AMOUNT_K] = amount_k,
};

uint32_t amount_of(enum steal_amount amount, uint32_t chunk, uint32_t available)
{
    return amount_table[amount](chunk, available);
}
