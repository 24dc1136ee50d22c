/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A transport carries messages between ranks: MPI, or the in-process network that the tests and
 * studies use. Messages from one rank to another arrive in the order in which they were sent;
 * nothing else is promised. One thread at a time calls a transport.
 */
#ifndef JUGGLE_STEAL_RUNTIME_TRANSPORT_H
#define JUGGLE_STEAL_RUNTIME_TRANSPORT_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal/protocol/message.h"
#include "libjuggle/steal/protocol/places.h"

#include <stdbool.h>

enum {
    /* Bytes of tasks in a message: at least one task of the greatest size. */
    TRANSPORT_ROOM = 65536,
    TRANSPORT_SHARED = 4096,
};

enum transport_reduction { REDUCE_SUM, REDUCE_MAX };

struct transport {
    const struct transport_ops *ops;
    int rank;
    int ranks;
    int processors;        /* of this node, for all its ranks together */
    int neighbors;         /* ranks on this node, this one included */
    bool kernel_clock;     /* now_ns() is the kernel's monotonic clock */
    bool yields;           /* receive() gives the processor away when there is no message */
    bool broken;           /* a check failed: messages may be under way that no rank will receive */
    bool keeps_no_reports; /* because reduce() adds up nothing over the ranks */
    int node;              /* the least rank of this node */
    int cache;             /* the last cache that the rank is bound to; -1: to no single one */
    int package;           /* the package that the rank is bound to, or -1 */
    const struct places *places; /* NULL: the runtime makes a survey */
    const char *settings;        /* the user's, which override the program's; NULL: none */
};

struct transport_ops {
    /* Returns where the tasks of the next message lie until it is sent: TRANSPORT_ROOM bytes. NULL:
     * no memory. */
    void *(*room)(struct transport *transport);
    /* Sends to message->peer, with `size` bytes of room(), never waiting for the receiver. */
    int (*send)(struct transport *transport, const struct message *message, size_t size) MUST_CHECK;
    /* Receives the next message of this epoch: 1, with its tasks valid until the next call; 0 if
     * there is none; -errno. Messages of the next epoch are kept for later calls. */
    int (*receive)(struct transport *transport, uint32_t epoch, struct message *message,
                   const void **tasks) MUST_CHECK;
    int64_t (*now_ns)(struct transport *transport);
    /* Collective: each value becomes the sum, or the greatest, over all ranks. */
    int (*reduce)(struct transport *transport, enum transport_reduction reduction, int64_t *values,
                  size_t count) MUST_CHECK;
    /* Collective: sets `memory` to TRANSPORT_SHARED bytes that the ranks of this node share, the
     * same each time. If `share` is NULL, nothing is shared. */
    int (*share)(struct transport *transport, void **memory) MUST_CHECK;
    /* For collective operations: send_data() sends data to another rank, which waits for it in
     * receive_data(). If they are NULL, each rank has only its own data. */
    int (*send_data)(struct transport *transport, int to, const void *data, size_t size) MUST_CHECK;
    int (*receive_data)(struct transport *transport, int from, void *data, size_t size) MUST_CHECK;
    void (*close)(struct transport *transport);
};

#endif
