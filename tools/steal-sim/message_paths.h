/* SPDX-License-Identifier: BSD-3-Clause */
/* The delays of messages on their way: at the nodes' network interfaces, at busy links, by
 * distance, and at random. */
#ifndef JUGGLE_STEAL_SIM_MESSAGE_PATHS_H
#define JUGGLE_STEAL_SIM_MESSAGE_PATHS_H

#include "libjuggle/ground/prng.h"
#include "tools/steal-sim/network.h"

#include <stdbool.h>

/* A node's network interface: when it is free again, for sending and for receiving. */
struct network_interface {
    int64_t out_ns, in_ns;
};

struct message_paths {
    const struct network_settings *settings;
    struct prng prng;
    struct network_interface *interfaces; /* of each node; NULL: interfaces cost no time */
};

/* The settings, and the places that they name, must outlive them. Returns 0 or -ENOMEM. */
int message_paths_open(const struct network_settings *settings,
                       struct message_paths *paths) MUST_CHECK;
void message_paths_close(struct message_paths *paths);

/* Returns when a message with `size` bytes of tasks comes to its receiver's node. Ranks must send
 * before they compute in a turn: a message that is sent later in a turn would delay messages that
 * other ranks send earlier. */
int64_t message_paths_arrival(struct message_paths *paths, int from, int to, int64_t ready_ns,
                              size_t size);

/* True if a message that is sent later to the same rank could arrive before one with `size` bytes
 * of tasks, because of the time for these bytes or of random delays. Otherwise messages on the same
 * way stay in order. */
bool message_paths_may_overtake(const struct message_paths *paths, size_t size);

/* Returns when the interface of the receiver's node lets a message through that has come there now.
 * To be called once for each message, in the order in which they come. */
int64_t message_paths_exit(struct message_paths *paths, int from, int to, int64_t now_ns,
                           size_t size);

#endif
