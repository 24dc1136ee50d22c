/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/bound.h"

#include "libjuggle/steal/runtime/collection.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double as_double(uint64_t value)
{
    double number;

    memcpy(&number, &value, sizeof(number));
    return number;
}

static uint64_t of_double(double number)
{
    uint64_t value;

    memcpy(&value, &number, sizeof(value));
    return value;
}

/* Returns the worst value of that kind. */
static uint64_t worst(enum steal_bound_kind kind)
{
    switch (kind) {
    case STEAL_BOUND_NONE:
        break;
    case STEAL_BOUND_MIN:
        return INT64_MAX;
    case STEAL_BOUND_MAX:
        return (uint64_t)INT64_MIN;
    case STEAL_BOUND_MIN_DOUBLE:
        return of_double(INFINITY);
    case STEAL_BOUND_MAX_DOUBLE:
        return of_double(-INFINITY);
    }
    return 0;
}

static bool better(enum steal_bound_kind kind, uint64_t value, uint64_t than)
{
    switch (kind) {
    case STEAL_BOUND_NONE:
        break;
    case STEAL_BOUND_MIN:
        return (int64_t)value < (int64_t)than;
    case STEAL_BOUND_MAX:
        return (int64_t)value > (int64_t)than;
    case STEAL_BOUND_MIN_DOUBLE:
        return as_double(value) < as_double(than);
    case STEAL_BOUND_MAX_DOUBLE:
        return as_double(value) > as_double(than);
    }
    return false;
}

int bound_open(enum steal_bound_kind kind, struct bound **out)
{
    struct bound *bound;

    *out = NULL;
    if (kind == STEAL_BOUND_NONE)
        return 0;
    bound = aligned_alloc(BOUND_LINE, sizeof(*bound));
    if (!bound)
        return -ENOMEM;
    *bound = (struct bound){.kind = kind,
                            .shared_cell = -1,
                            .received_from = -1,
                            .received = worst(kind),
                            .sent = worst(kind),
                            .cell = &bound->own};
    atomic_init(&bound->own, worst(kind));
    *out = bound;
    return 0;
}

void bound_share(struct bound *bound, void *memory, int cell)
{
    bound->shared_cell = cell;
    bound->cell = (_Atomic uint64_t *)((char *)memory + (size_t)cell * BOUND_LINE);
    atomic_store_explicit(bound->cell, worst(bound->kind), memory_order_relaxed);
}

bool bound_improve(struct bound *bound, uint64_t value)
{
    uint64_t known = bound_value(bound);

    while (better(bound->kind, value, known))
        if (atomic_compare_exchange_weak_explicit(bound->cell, &known, value, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    return false;
}

void bound_handle(struct bound *bound, int rank, uint64_t value)
{
    if (!bound_improve(bound, value))
        return;
    bound->received = value;
    bound->received_from = rank;
}

bool bound_news(struct bound *bound, int *received_from)
{
    const uint64_t value = bound_value(bound);

    if (value == bound->sent)
        return false;
    bound->sent = value;
    *received_from = value == bound->received ? bound->received_from : -1;
    return true;
}

/* ---- for the program ----------------------------------------------------------------------- */

static bool is_double(enum steal_bound_kind kind)
{
    return kind == STEAL_BOUND_MIN_DOUBLE || kind == STEAL_BOUND_MAX_DOUBLE;
}

/* The bound of this type, NULL if there is none. */
static struct bound *bound_of(const struct steal_collection *collection, bool of_doubles)
{
    struct bound *bound = collection ? collection->bound : NULL;

    return bound && is_double(bound->kind) == of_doubles ? bound : NULL;
}

int64_t steal_bound(const struct steal_collection *collection)
{
    const struct bound *bound = bound_of(collection, false);

    return bound ? (int64_t)bound_value(bound) : 0;
}

double steal_bound_double(const struct steal_collection *collection)
{
    const struct bound *bound = bound_of(collection, true);

    return bound ? as_double(bound_value(bound)) : 0;
}

/* Sets no message, because tasks of several threads may call it at the same time. */
int steal_bound_improve(struct steal_collection *collection, int64_t value)
{
    struct bound *bound = bound_of(collection, false);

    return bound ? bound_improve(bound, (uint64_t)value) : -EINVAL;
}

int steal_bound_improve_double(struct steal_collection *collection, double value)
{
    struct bound *bound = bound_of(collection, true);

    return bound && !isnan(value) ? bound_improve(bound, of_double(value)) : -EINVAL;
}
