/* SPDX-License-Identifier: BSD-3-Clause */
/* A network of many ranks in one thread, with virtual time. The latency of a message is that of a
 * latency function and a random delay, so that messages overtake each other, except those between
 * the same two ranks. The same seed gives the same run. The library's own processing runs on it,
 * turn by turn.
 *
 * A message may cost more than its latency: processor time of both ranks, and time at the one
 * interface of each node and at links, where messages queue. A rank that is busy takes its next
 * turn afterwards, even if a message arrives earlier.
 *
 * Since all ranks share one thread, none can wait for the others: a reduction returns the rank's
 * own values, and data is collected from rank 0 alone. */
#ifndef JUGGLE_STEAL_SIM_NETWORK_H
#define JUGGLE_STEAL_SIM_NETWORK_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal/protocol/message.h"
#include "libjuggle/steal/runtime/transport.h"
#include "tools/steal-sim/processors.h"

struct links;
struct network;

enum { PSEC_PER_NSEC = 1000 };

/* The costs of messages in addition to their latency. All zeros: none. Messages within a node do
 * not pass its interface. */
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

struct network_settings {
    int ranks;
    uint64_t seed;
    int64_t (*latency_ns)(const void *context, int from, int to); /* at least 1 */
    const void *context;
    int64_t jitter_ns; /* each message takes up to this much more, at random */
    int64_t stall_ns;  /* one message in stall_one_in takes this much more in addition */
    int stall_one_in;  /* 0: none */
    struct network_costs costs;
    const struct places *places;         /* of the ranks; NULL: each on a node of its own */
    struct links *links;                 /* between the nodes; NULL: messages never wait there */
    const struct processors *processors; /* of the ranks; NULL: undisturbed */
    /* Called when a rank sends; may be NULL. */
    void (*sent)(void *watcher, int from, const struct message *message);
    void *watcher;
    /* Called shortly before a turn of the rank, to prefetch its memory; may be NULL. */
    void (*prefetch)(const void *watcher, int rank);
};

int network_open(const struct network_settings *settings, struct network **network) MUST_CHECK;

/* Its endpoints must have been closed. Accepts NULL. */
void network_close(struct network *network);

/* Returns the transport of a rank, to be closed by its user. */
struct transport *network_endpoint(struct network *network, int rank);

/* Advances to the next turn of a rank. Returns 1, 0 if there is none, or -errno. */
int network_next(struct network *network, int *rank) MUST_CHECK;

/* Sets the rank's next turn to time_ns, which is not in the past; arrivals do not bring it forward.
 * If this is not called, the next turn is at the next arrival. */
int network_wake(struct network *network, int rank, int64_t time_ns) MUST_CHECK;

/* Gives the rank a turn at time_ns, and also at each arrival until then, because its server
 * receives while the rank computes. Must not be combined with network_wake(). */
int network_remind(struct network *network, int rank, int64_t time_ns) MUST_CHECK;

/* Called in a turn of the rank: advances its clock by work that takes an undisturbed processor
 * time_ns. */
void network_compute(struct network *network, int rank, int64_t time_ns);

/* Returns the time until which the rank is busy with its latest turn. */
int64_t network_clock(const struct network *network, int rank);

int64_t network_now(const struct network *network);

/* Returns the number of arrivals and turns so far. */
int64_t network_events(const struct network *network);

/* Returns the number of messages that were sent and not received. */
int64_t network_under_way(const struct network *network);

#endif
