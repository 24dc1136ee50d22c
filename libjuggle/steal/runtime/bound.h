/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The best value that a collection's tasks have found so far, as far as it is known here.
 *
 * It lies in one cell, which the ranks of a node share where the transport has memory for that, and
 * otherwise the threads of the rank. A cell only ever gets better: whoever has a better value puts
 * it there by compare-and-exchange. Orders are relaxed, as a value says nothing but itself: what
 * belongs to it is the program's. Every message of the protocol brings the sender's value along,
 * and a better one is told along the tree of the ranks at the next turn.
 *
 * Minima and maxima, integers and doubles differ in what is better, and in nothing else: all travel
 * and are compared as 64 bits of the collection's kind, which is the same on all ranks.
 */
#ifndef JUGGLE_STEAL_RUNTIME_BOUND_H
#define JUGGLE_STEAL_RUNTIME_BOUND_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal.h"

#include <stdatomic.h>
#include <stdbool.h>

enum {
    BOUND_LINE = 64, /* cells do not share cache lines */
    BOUND_CELLS = 64 /* of a runtime, in memory that the ranks of a node share */
};

struct bound {
    enum steal_bound_kind kind;
    int shared_cell; /* -1: its own */
    int teller;      /* the rank that `heard` came from */
    uint64_t heard;  /* the latest that was better */
    uint64_t told;   /* along the tree */
    _Atomic uint64_t *cell;
    _Alignas(BOUND_LINE) _Atomic uint64_t own;
};

/* Of a new collection, to be freed: no value is known, nor shared. NULL of none. */
int bound_open(enum steal_bound_kind kind, struct bound **bound) MUST_CHECK;

/* The same in that cell of the node's memory. */
void bound_share(struct bound *bound, void *memory, int cell);

static inline uint64_t bound_value(const struct bound *bound)
{
    return atomic_load_explicit(bound->cell, memory_order_relaxed);
}

/* Whether the value was better. */
bool bound_improve(struct bound *bound, uint64_t value);

/* A message from that rank brought the value. */
void bound_hear(struct bound *bound, int rank, uint64_t value);

/* Whether the others are to be told, all but `*teller`, who knows it; -1: all. */
bool bound_news(struct bound *bound, int *teller);

#endif
