/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages meet on their way: the interfaces by which nodes meet the network, links that may
 * be crowded, distance, and delays at random. */
#ifndef JUGGLE_STEAL_SIM_ROADS_H
#define JUGGLE_STEAL_SIM_ROADS_H

#include "libjuggle/ground/prng.h"
#include "tools/steal-sim/network.h"

#include <stdbool.h>

/* Of a node: until when it is busy, either way. */
struct interface {
    int64_t out_ns, in_ns;
};

struct roads {
    const struct network_settings *settings;
    struct prng prng;
    struct interface *interface; /* of each node; NULL: they cost nothing */
};

/* Settings, and the places that they name, must outlive the roads. -ENOMEM. */
int roads_open(const struct network_settings *settings, struct roads *roads) MUST_CHECK;
void roads_close(struct roads *roads);

/* When a message with `size` bytes of tasks comes to its receiver's node. Ranks send before they
 * compute, so that what comes later in a turn delays nobody else. */
int64_t roads_arrival(struct roads *roads, int from, int to, int64_t ready_ns, size_t size);

/* Whether one that is sent later to the same rank could come earlier than one with `size` bytes of
 * tasks: bytes take time, and so may chance, but what has the same way stays in order. */
bool roads_may_overtake(const struct roads *roads, size_t size);

/* When the interface of that node lets it through, if it has come there now. Asked once for each
 * message, in the order in which they come. */
int64_t roads_exit(struct roads *roads, int from, int to, int64_t now_ns, size_t size);

#endif
