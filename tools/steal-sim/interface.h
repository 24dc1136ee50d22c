/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages cost beside their latency, and the interface by which a node meets the network. */
#ifndef JUGGLE_STEAL_SIM_INTERFACE_H
#define JUGGLE_STEAL_SIM_INTERFACE_H

#include "libjuggle/policy/units.h"
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

/* Until when it is busy, either way. */
struct interface {
    int64_t out_ns, in_ns;
};

static inline int64_t bytes_ns(int64_t size, int64_t byte_ps)
{
    return (int64_t)(sizeof(struct message) + (size_t)size) * byte_ps / PSEC_PER_NSEC;
}

/* When a message with `size` bytes of tasks that comes at `ready_ns` begins to pass: none passes
 * together with another. */
static inline int64_t interface_pass(int64_t *busy_ns, const struct network_costs *costs,
                                     int64_t ready_ns, int64_t size)
{
    const int64_t begin_ns = max_i64(ready_ns, *busy_ns);

    *busy_ns = begin_ns + max_i64(costs->gap_ns + bytes_ns(size, costs->byte_ps), 1);
    return begin_ns;
}

#endif
