/* SPDX-License-Identifier: BSD-3-Clause */
/* The links of a torus or a mesh. One message passes a link at a time; others wait for it. A
 * message goes along one dimension after the other, the shorter way around. The head of a message
 * leaves a link before its tail has come (cut-through). */
#ifndef JUGGLE_STEAL_SIM_LINKS_H
#define JUGGLE_STEAL_SIM_LINKS_H

#include "tools/steal-sim/machine.h"

struct links;

/* Opens the links of a grid whose extents are known, with the latencies and costs of the settings.
 * Returns 0 or -ENOMEM. */
int links_open(const struct machine_settings *settings, struct links **links) MUST_CHECK;

/* Accepts NULL. */
void links_close(struct links *links);

/* Returns how long a message with `size` bytes of tasks that leaves its node at `ready_ns` waits on
 * its way. Called in the order in which messages are sent: one that is sent later waits at a link
 * even if it comes there sooner. */
int64_t links_wait(struct links *links, int from_node, int to_node, int64_t ready_ns, size_t size);

/* Returns the sum over all links of the time for which messages have held them, and the number of
 * links in *count. */
int64_t links_held(const struct links *links, int64_t *count);

#endif
