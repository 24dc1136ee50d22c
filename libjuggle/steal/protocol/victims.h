/* SPDX-License-Identifier: BSD-3-Clause */
/* Whom a thief asks. */
#ifndef JUGGLE_STEAL_PROTOCOL_VICTIMS_H
#define JUGGLE_STEAL_PROTOCOL_VICTIMS_H

#include "libjuggle/policy/prng.h"
#include "libjuggle/steal.h"

#include <stdbool.h>

enum { NO_VICTIM = -1 };

/* A rank's choice of victims: the state that every entry of the table works on. */
struct victims {
    const struct victim_ops *ops;
    struct prng prng;
    int self;
    int ranks;
    int last; /* asked */
};

struct victim_ops {
    /* Prepares what is the strategy's own; NULL: there is nothing. */
    void (*init)(struct victims *victims);
    int (*next)(struct victims *victims);
    /* What came of asking; NULL: it makes no difference. */
    void (*told)(struct victims *victims, int victim, uint32_t count);
};

/* Each rank derives random numbers of its own from the properties' seed. */
void victims_init(struct victims *victims, const struct steal_properties *properties, int self,
                  int ranks);

/* Whom to ask next; NO_VICTIM to wait for tasks instead. */
int victims_next(struct victims *victims);

/* The victim answered with `count` tasks. */
void victims_told(struct victims *victims, int victim, uint32_t count);

#endif
