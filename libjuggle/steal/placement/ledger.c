/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/ledger.h"

void ledger_init(struct ledger *ledger, void *memory, size_t memory_size, size_t stride,
                 uint32_t *bin, unsigned resolution)
{
    *ledger = (struct ledger){
        .entries = memory,
        .stride = stride,
        .capacity = (uint32_t)min_i64((int64_t)(memory_size / stride), INT32_MAX),
        .resolution = resolution,
        .bin = bin};
    ledger_clear(ledger);
}

void ledger_clear(struct ledger *ledger)
{
    ledger->count = 0;
    ledger->known = 0;
    ledger->known_ns = 0;
    memset(ledger->bin, 0, bins_count(ledger->resolution) * sizeof(*ledger->bin));
}

void ledger_sweep(struct ledger *ledger)
{
    const uint32_t count = ledger->count;

    ledger_clear(ledger);
    for (uint32_t i = 0; i < count; i++)
        if (!(ledger_history_at(ledger, i)->flags & HISTORY_GONE))
            (void)ledger_add(ledger, ledger_entry(ledger, i));
}

static uint32_t entry_bin(const struct ledger *ledger, uint32_t index, int64_t mean_ns)
{
    return bins_of(history_expect(ledger_history_at(ledger, index), mean_ns), ledger->resolution);
}

void ledger_sort(const struct ledger *ledger, int64_t mean_ns, uint32_t *order)
{
    uint32_t place[BINS_MAX]; /* where the next entry of each bin goes */
    const uint32_t unmeasured_bin = bins_of(mean_ns, ledger->resolution);
    uint32_t begin = 0;

    for (uint32_t bin = 0; bin < bins_count(ledger->resolution); bin++) {
        place[bin] = begin;
        begin += ledger->bin[bin];
        if (bin == unmeasured_bin)
            begin += ledger->count - ledger->known;
    }
    for (uint32_t i = 0; i < ledger->count; i++)
        order[place[entry_bin(ledger, i, mean_ns)]++] = i;
}
