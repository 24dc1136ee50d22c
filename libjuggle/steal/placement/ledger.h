/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tasks that a rank executed in an iteration, or is to execute in the next one, with their
 * histories, and bins of their expected durations (retentive stealing paper, section 5: n
 * descriptors and b bins). Loads are sums of true nanoseconds, not of bins, so that none is lost.
 *
 * An entry is the task, rounded up to STEAL_TASK_ALIGN, then its struct history; the deques of a
 * collection with `retain` hold such entries. The caller provides all memory.
 */
#ifndef JUGGLE_STEAL_PLACEMENT_LEDGER_H
#define JUGGLE_STEAL_PLACEMENT_LEDGER_H

#include "libjuggle/steal/placement/bins.h"
#include "libjuggle/steal/placement/history.h"

#include <stdbool.h>
#include <string.h>

struct ledger {
    unsigned char *entries;
    size_t stride; /* bytes of an entry */
    uint32_t count;
    uint32_t capacity;
    uint32_t known;   /* number of entries with a prediction */
    int64_t known_ns; /* sum of these predictions */
    unsigned resolution;
    uint32_t *bin; /* number of entries with a prediction in each of bins_count() bins */
};

void ledger_init(struct ledger *ledger, void *memory, size_t memory_size, size_t stride,
                 uint32_t *bin, unsigned resolution);

void ledger_clear(struct ledger *ledger);

static inline void *ledger_entry(const struct ledger *ledger, uint32_t index)
{
    return ledger->entries + index * ledger->stride;
}

/* Returns the history of an entry, which may lie outside of a ledger. */
static inline struct history *ledger_history(size_t stride, void *entry)
{
    return (struct history *)((unsigned char *)entry + stride - sizeof(struct history));
}

static inline const struct history *ledger_history_at(const struct ledger *ledger, uint32_t index)
{
    return ledger_history(ledger->stride, ledger_entry(ledger, index));
}

/* Copies one entry, word by word, because a call of memcpy() would cost more than the copy of a
 * small one. Sizes are multiples of STEAL_TASK_ALIGN. Words are copied as bytes, because an entry
 * holds other types: by the aliasing rules a compiler may delay their stores until after a load of
 * uint64_t. */
static inline void ledger_copy(void *to, const void *from, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint64_t))
        memcpy((char *)to + at, (const char *)from + at, sizeof(uint64_t));
}

/* Copies adjacent entries into the ledger, as many as fit; returns how many. */
static inline uint32_t ledger_append(struct ledger *ledger, const void *entries, uint32_t count)
{
    const uint32_t room = ledger->capacity - ledger->count, added = count < room ? count : room;
    unsigned char *copy = ledger_entry(ledger, ledger->count);
    int64_t known_ns = 0;
    uint32_t known = 0;

    if (added == 1)
        ledger_copy(copy, entries, ledger->stride);
    else
        memcpy(copy, entries, added * ledger->stride);
    for (uint32_t i = 0; i < added; i++) {
        const struct history *history = ledger_history(ledger->stride, copy + i * ledger->stride);

        if (history->runs == 0)
            continue;
        ledger->bin[bins_of(history->predicted_ns, ledger->resolution)]++;
        known++;
        known_ns += history->predicted_ns;
    }
    ledger->known += known;
    ledger->known_ns += known_ns;
    ledger->count += added;
    return added;
}

/* Adds one entry. Returns false if the ledger is full. */
static inline bool ledger_add(struct ledger *ledger, const void *entry)
{
    return ledger_append(ledger, entry, 1) == 1;
}

/* Drops the entries that are marked as gone, and keeps the order of the others. */
void ledger_sweep(struct ledger *ledger);

/*
 * Sorts the indices of all entries by their bins, the shortest first; entries of one bin stay in
 * their order. Entries without a prediction count as `mean_ns`. `order` has room for all entries.
 */
void ledger_sort(const struct ledger *ledger, int64_t mean_ns, uint32_t *order);

#endif
