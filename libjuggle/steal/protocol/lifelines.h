/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lifelines of a rank (lifeline paper, section 2): the edges of a cyclic hypercube along which
 * it asks when it has tried enough victims, and the thieves that asked this rank and wait.
 *
 * Ranks are numbers of `count` digits with base `radix`. An edge leads from a rank to the rank
 * whose digit in one place is the next one, cyclically, among the ranks that exist. So for each
 * place at most one edge leads to a rank, and no more than `count` thieves can ever wait.
 *
 * An edge is asked at most once until tasks come back along it: the rank at its other end remembers
 * the request, so no further message is needed until it has work to deal.
 */
#ifndef JUGGLE_STEAL_PROTOCOL_LIFELINES_H
#define JUGGLE_STEAL_PROTOCOL_LIFELINES_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdint.h>

enum { LIFELINES_MAX = 30 };

struct lifelines {
    int count;      /* outgoing edges */
    int next;       /* the edge to be asked next in this session */
    uint32_t asked; /* a bit for each edge: it was asked, and no tasks have come along it since */
    int waiting_count;
    int to[LIFELINES_MAX];
    int waiting[LIFELINES_MAX]; /* in the order in which they asked */
};

/* Returns the least radix in which numbers of `lifelines` digits tell all ranks apart. */
int lifelines_radix(int lifelines, int ranks);

/* True if numbers of `lifelines` digits in this radix tell all ranks apart. */
bool lifelines_suffice(int lifelines, int radix, int ranks);

void lifelines_init(struct lifelines *lifelines, int count, int radix, int self, int ranks);

/* Starts an epoch: no edge is asked, and no thief waits. */
void lifelines_begin(struct lifelines *lifelines);

/* Returns the rank at the end of the next edge to ask, and marks the edge as asked; -1 if none is
 * left in this session. */
int lifelines_ask(struct lifelines *lifelines);

/* Tasks came along the edge to `from`: it may be asked again. */
void lifelines_answered(struct lifelines *lifelines, int from);

/* At the other end of an edge: `thief` waits for tasks; `thief` does not wait any more. */
void lifelines_remember(struct lifelines *lifelines, int thief, struct fault *fault);
void lifelines_forget(struct lifelines *lifelines, int thief);

#endif
