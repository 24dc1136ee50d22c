/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whom a thief asks.
 *
 * By distance, memory goes by nodes and not by ranks: a choice is a rank of the own node, or
 * another node, whose ranks are alike.
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

/* A rank's choice of victims: the state that every entry of the table works on. */
struct victims {
    const struct victim_ops *ops;
    struct prng prng;
    int self;
    int ranks;
    int last; /* asked */

    /* By distance. */
    int radius; /* of the nearest ranks, the number among which one is drawn */
    const struct places *places;
    double exponent;
    int seat;                  /* among the ranks of its node */
    int choices;               /* ranks of the own node but itself, then other nodes */
    const struct alias *alias; /* of the choices */
    struct sort_item *ring;    /* nodes from the nearest on */
    int32_t *before;           /* of each of them: ranks that are nearer, itself not counted */
    int64_t turn;              /* which */
};

struct victim_ops {
    /* Bytes of memory, aligned as of malloc(); NULL: none. */
    size_t (*memory_size)(const struct places *places);
    /* Prepares what is the strategy's own; NULL: there is nothing. */
    void (*init)(struct victims *victims, void *memory);
    int (*next)(struct victims *victims);
    /* What came of asking; NULL: it makes no difference. */
    void (*told)(struct victims *victims, int victim, uint32_t count);
};

extern const struct victim_ops skewed_victims, nearest_victims;

/* Has the ranks of these places, which share memory, draw from tables that are made once for each
 * node, in `tables` of skewed_tables_size(). All of a node must be as near to each other. */
size_t skewed_tables_size(const struct places *places);
void skewed_tabulate(struct places *places, double exponent, struct alias *tables);

/* Whether they isolate or not: that may change. */
size_t victims_memory_size(const struct steal_properties *properties, const struct places *places);

/* Each rank derives random numbers of its own from the properties' seed. */
void victims_init(struct victims *victims, const struct steal_properties *properties, int self,
                  const struct places *places, void *memory);

/* Whom to ask next; NO_VICTIM to wait for tasks instead. */
int victims_next(struct victims *victims);

/* The victim answered with `count` tasks. */
void victims_told(struct victims *victims, int victim, uint32_t count);

#endif
