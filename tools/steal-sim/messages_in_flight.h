/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of one sender that may still be under way: a later one to the same rank must not
 * arrive before them. */
#ifndef JUGGLE_STEAL_SIM_MESSAGES_IN_FLIGHT_H
#define JUGGLE_STEAL_SIM_MESSAGES_IN_FLIGHT_H

#include "libjuggle/ground/units.h"

/* All zeros: there are none. */
struct messages_in_flight {
    uint32_t count;
    uint32_t capacity;
    struct message_in_flight {
        int64_t arrival_ns;
        int to;
    } * list;
};

/* Returns when a message arrives that would arrive at `arrival_ns` if it were the only one. Drops
 * the messages that have arrived before now. */
int64_t messages_in_flight_arrival(struct messages_in_flight *messages, int64_t now_ns, int to,
                                   int64_t arrival_ns);

/* Returns 0 or -ENOMEM. */
int messages_in_flight_add(struct messages_in_flight *messages, int to,
                           int64_t arrival_ns) MUST_CHECK;

void messages_in_flight_close(struct messages_in_flight *messages);

#endif
