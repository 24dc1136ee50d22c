/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the victims that a thief asks.
 *
 * If they are chosen by distance, memory is proportional to the number of nodes, not of ranks: a
 * choice is a rank of the own node, or another node as a whole, whose ranks are alike.
 */
#ifndef JUGGLE_STEAL_PROTOCOL_VICTIMS_H
#define JUGGLE_STEAL_PROTOCOL_VICTIMS_H

#include "libjuggle/ground/prng.h"
#include "libjuggle/ground/sort.h"
#include "libjuggle/ground/units.h"
#include "libjuggle/steal.h"
#include "libjuggle/steal/protocol/alias.h"
#include "libjuggle/steal/protocol/places.h"

enum { NO_VICTIM = -1 };

/* A rank's choice of victims: the state for every strategy. */
struct victims {
    const struct victim_ops *ops;
    struct prng prng;
    int self;
    int ranks;
    int last; /* the victim asked last */

    /* Only for victims by distance. */
    int radius; /* NEAREST: number of nearest ranks that are asked in turn */
    const struct places *places;
    double exponent;
    int seat;    /* position among the ranks of its node */
    int choices; /* number of other ranks of the own node, plus number of other nodes */
    const struct alias *alias;           /* SKEWED: draws one of the choices */
    struct sort_item *nodes_by_distance; /* NEAREST: nodes from the nearest on */
    int32_t *before; /* for each of them, number of other ranks that are nearer */
    int64_t turn;    /* NEAREST: number of the next choice */
};

struct victim_ops {
    /* Bytes of memory, aligned as by malloc(); NULL: none. */
    size_t (*memory_size)(const struct places *places);
    /* Prepares the strategy's own state; NULL: there is none. */
    void (*init)(struct victims *victims, void *memory);
    int (*next)(struct victims *victims);
    /* The victim answered with `count` tasks; NULL: this makes no difference. */
    void (*answered)(struct victims *victims, int victim, uint32_t count);
};

extern const struct victim_ops skewed_victims, nearest_victims;

/* Makes one table for each node, in `tables` of skewed_tables_size() bytes, for all ranks of these
 * places, which share memory. All ranks of a node must be equally near to each other. */
size_t skewed_tables_size(const struct places *places);
void skewed_tabulate(struct places *places, double exponent, struct alias *tables);

/* Does not depend on `isolate`, which may change later. */
size_t victims_memory_size(const struct steal_properties *properties, const struct places *places);

/* Each rank derives random numbers of its own from the properties' seed. */
void victims_init(struct victims *victims, const struct steal_properties *properties, int self,
                  const struct places *places, void *memory);

/* Returns the victim to ask next; NO_VICTIM: the rank must wait for tasks. */
int victims_next(struct victims *victims);

/* The victim answered with `count` tasks. */
void victims_answered(struct victims *victims, int victim, uint32_t count);

#endif
