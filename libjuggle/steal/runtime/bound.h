/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The best value that a collection's tasks have found so far, as far as it is known here.
 *
 * It lies in one cell. The ranks of a node share the cell if the transport has shared memory;
 * otherwise only the threads of the rank share it. A cell only gets better: a better value is
 * stored by compare-and-exchange. Memory orders are relaxed, because a value publishes no other
 * data; the program must synchronize data that belongs to it. Every message of the protocol carries
 * the sender's value, and a better value is sent along the tree of the ranks at the next turn.
 *
 * Minima and maxima, of integers and doubles, differ only in the comparison. A value is stored and
 * sent as 64 bits, which the collection's kind, the same on all ranks, interprets.
 */
#ifndef JUGGLE_STEAL_RUNTIME_BOUND_H
#define JUGGLE_STEAL_RUNTIME_BOUND_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal.h"

#include <stdatomic.h>
#include <stdbool.h>

enum {
    BOUND_LINE = 64, /* cells do not share cache lines */
    BOUND_CELLS = 64 /* cells of a runtime, in memory that the ranks of a node share */
};

struct bound {
    enum steal_bound_kind kind;
    int shared_cell;   /* -1: `own` is the cell */
    int received_from; /* the rank that `received` came from */
    uint64_t received; /* the latest value of a message that was better */
    uint64_t sent;     /* the latest value that was sent along the tree */
    _Atomic uint64_t *cell;
    _Alignas(BOUND_LINE) _Atomic uint64_t own;
};

/* Creates the bound of a new collection, without a value and not shared; free() frees it. NULL for
 * STEAL_BOUND_NONE. */
int bound_open(enum steal_bound_kind kind, struct bound **bound) MUST_CHECK;

/* Moves the bound to that cell of the memory of the node, without a value. */
void bound_share(struct bound *bound, void *memory, int cell);

static inline uint64_t bound_value(const struct bound *bound)
{
    return atomic_load_explicit(bound->cell, memory_order_relaxed);
}

/* Stores the value if it is better; returns whether it was. */
bool bound_improve(struct bound *bound, uint64_t value);

/* A message from `rank` brought the value: stores it if it is better. */
void bound_handle(struct bound *bound, int rank, uint64_t value);

/* True if the value changed since it was last sent along the tree: then it must be sent to all
 * neighbors except `*received_from`, which knows it; -1: to all. */
bool bound_news(struct bound *bound, int *received_from);

#endif
