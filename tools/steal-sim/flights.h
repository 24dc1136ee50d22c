/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of one rank that may still be under way: none to the same rank may arrive before
 * them. */
#ifndef JUGGLE_STEAL_SIM_FLIGHTS_H
#define JUGGLE_STEAL_SIM_FLIGHTS_H

#include "libjuggle/ground/units.h"

/* Zeros: there are none. */
struct flights {
    uint32_t count;
    uint32_t capacity;
    struct flight {
        int64_t arrival_ns;
        int to;
    } * list;
};

/* When a message arrives that would do so at `arrival_ns` if it were the only one. Forgets what has
 * landed before now. */
int64_t flights_arrival(struct flights *flights, int64_t now_ns, int to, int64_t arrival_ns);

/* -ENOMEM. */
int flights_add(struct flights *flights, int to, int64_t arrival_ns) MUST_CHECK;

void flights_close(struct flights *flights);

#endif
