/* SPDX-License-Identifier: BSD-3-Clause */
/* The links of a torus or a mesh, which one message passes at a time: those that want the same link
 * wait for each other. A message goes along one dimension after the other, the shorter way around,
 * and each link lets its head on before its tail has come. */
#ifndef JUGGLE_STEAL_SIM_LINKS_H
#define JUGGLE_STEAL_SIM_LINKS_H

#include "tools/steal-sim/machine.h"

struct links;

/* Of a grid whose extents are known; latencies and costs are those of the settings. -ENOMEM. */
int links_open(const struct machine_settings *settings, struct links **links) MUST_CHECK;

/* Accepts NULL. */
void links_close(struct links *links);

/* How long a message with `size` bytes of tasks that leaves its node then waits on its way. Asked
 * in the order in which messages leave: who comes to a link sooner, but left later, waits. */
int64_t links_wait(struct links *links, int from_node, int to_node, int64_t ready_ns, size_t size);

/* The time that messages have held the links, all together, and how many links there are. */
int64_t links_held(const struct links *links, int64_t *count);

#endif
