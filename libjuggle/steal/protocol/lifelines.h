/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lifelines of a rank (lifeline paper, section 2): the edges of a cyclic hypercube along which
 * it asks when it has tried enough victims, and those who asked it and wait.
 *
 * Ranks are numbers of `count` digits with base `radix`. An edge leads from a rank to the one whose
 * digit in one place is the next, cyclically, among the ranks that exist; so over all edges of one
 * place each rank has at most one other before it, and no more than `count` can ever wait.
 *
 * An edge is asked at most once until tasks come back along it: asked, and then remembered at its
 * other end, it needs no further message until there is work to deal.
 */
#ifndef JUGGLE_STEAL_PROTOCOL_LIFELINES_H
#define JUGGLE_STEAL_PROTOCOL_LIFELINES_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdint.h>

enum { LIFELINES_MAX = 30 };

struct lifelines {
    int count;      /* outgoing */
    int next;       /* to be asked in this session */
    uint32_t asked; /* a bit for each: no tasks have come since */
    int waiting_count;
    int to[LIFELINES_MAX];
    int waiting[LIFELINES_MAX]; /* in the order in which they asked */
};

/* The least radix by which `lifelines` digits tell all ranks apart. */
int lifelines_radix(int lifelines, int ranks);

/* True if numbers of `lifelines` digits in this radix tell all ranks apart. */
bool lifelines_suffice(int lifelines, int radix, int ranks);

void lifelines_init(struct lifelines *lifelines, int count, int radix, int self, int ranks);

/* Nobody has asked, nobody waits. */
void lifelines_begin(struct lifelines *lifelines);

/* The next edge's end that is to be asked now, which marks it; -1 if none is left in this session.
 */
int lifelines_ask(struct lifelines *lifelines);

/* Tasks came along the edge to `from`. */
void lifelines_answered(struct lifelines *lifelines, int from);

/* At the other end: someone waits, or need not wait any more. */
void lifelines_remember(struct lifelines *lifelines, int thief, struct fault *fault);
void lifelines_forget(struct lifelines *lifelines, int thief);

#endif
