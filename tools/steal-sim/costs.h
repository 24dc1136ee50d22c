/* SPDX-License-Identifier: BSD-3-Clause */
/* The costs of messages in addition to their latency. */
#ifndef JUGGLE_STEAL_SIM_COSTS_H
#define JUGGLE_STEAL_SIM_COSTS_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal/protocol/message.h"

enum { PSEC_PER_NSEC = 1000 };

/* All zeros: no costs. Messages within a node do not pass its interface. */
struct network_costs {
    int64_t send_ns;       /* processor time of the sender */
    int64_t receive_ns;    /* processor time of the receiver */
    int64_t poll_ns;       /* processor time to find that no message has come */
    int64_t gap_ns;        /* time of the node's interface per message, besides its bytes */
    int64_t byte_ps;       /* picoseconds for each byte between nodes: 1000 is 1 GB/s */
    int64_t local_byte_ps; /* picoseconds for each byte within a node */
};

/* Returns the time for the bytes of a message with `size` bytes of tasks. */
static inline int64_t bytes_ns(size_t size, int64_t byte_ps)
{
    return (int64_t)(sizeof(struct message) + size) * byte_ps / PSEC_PER_NSEC;
}

#endif
