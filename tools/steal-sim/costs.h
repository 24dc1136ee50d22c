/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages cost beside their latency. */
#ifndef JUGGLE_STEAL_SIM_COSTS_H
#define JUGGLE_STEAL_SIM_COSTS_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal/protocol/message.h"

enum { PSEC_PER_NSEC = 1000 };

/* Zeros: nothing. Messages within a node do not pass its interface. */
struct network_costs {
    int64_t send_ns;    /* of the sender's processor */
    int64_t receive_ns; /* of the receiver's */
    int64_t poll_ns;    /* to find that nothing has come */
    int64_t gap_ns;     /* of the interface for each message, on either side, and for its bytes */
    int64_t byte_ps;    /* picoseconds for each byte between nodes: 1000 are 1 GB/s */
    int64_t local_byte_ps; /* and within a node */
};

/* Of a message with `size` bytes of tasks. */
static inline int64_t bytes_ns(size_t size, int64_t byte_ps)
{
    return (int64_t)(sizeof(struct message) + size) * byte_ps / PSEC_PER_NSEC;
}

#endif
