/* SPDX-License-Identifier: BSD-3-Clause */
/* A network of many ranks in one thread, with virtual time: what a message takes follows from a
 * distance function and a random delay, so that messages overtake each other, except those between
 * the same two ranks. The same seed gives the same run. The library's own processing runs on it,
 * turn by turn.
 *
 * A message may cost more than its travel: processor time of both ranks, and the time of the one
 * interface of each node and of links, where messages queue. A rank that is busy takes its next
 * turn afterwards, whatever arrives.
 *
 * Since all ranks share one thread, nobody can wait for the others: a reduction returns the rank's
 * own values, and data is collected from rank 0 alone. */
#ifndef JUGGLE_STEAL_SIM_NETWORK_H
#define JUGGLE_STEAL_SIM_NETWORK_H

#include "libjuggle/steal/runtime/transport.h"
#include "tools/steal-sim/costs.h"
#include "tools/steal-sim/processors.h"

struct links;
struct network;

struct network_settings {
    int ranks;
    uint64_t seed;
    int64_t (*latency_ns)(const void *context, int from, int to); /* at least 1 */
    const void *context;
    int64_t jitter_ns; /* each message takes up to this much more, at random */
    int64_t stall_ns;  /* and one in stall_one_in this much more again */
    int stall_one_in;  /* 0: none */
    struct network_costs costs;
    const struct places *places;         /* of the ranks; NULL: each on a node of its own */
    struct links *links;                 /* between these nodes; NULL: never crowded */
    const struct processors *processors; /* of the ranks; NULL: undisturbed */
    /* A rank sends; NULL: nobody wants to know. */
    void (*sent)(void *watcher, int from, const struct message *message);
    void *watcher;
    /* The rank's turn comes soon: whatever it needs may be prefetched. NULL: nothing is. */
    void (*prefetch)(const void *watcher, int rank);
};

int network_open(const struct network_settings *settings, struct network **network) MUST_CHECK;

/* Its endpoints must have been closed. Accepts NULL. */
void network_close(struct network *network);

/* The transport of a rank, to be closed by its user. */
struct transport *network_endpoint(struct network *network, int rank);

/* Goes to the next instant at which a rank has something to do: 1, or 0 if there is none;
 * -errno. */
int network_next(struct network *network, int *rank) MUST_CHECK;

/* The rank's next turn is at that time, now or later, whatever arrives; without, at the next
 * arrival. */
int network_wake(struct network *network, int rank, int64_t time_ns) MUST_CHECK;

/* The rank has a turn at that time, and at each arrival until then, too: what computes is not what
 * hears. Not together with network_wake(). */
int network_remind(struct network *network, int rank, int64_t time_ns) MUST_CHECK;

/* In its turn, the rank is busy with what takes an undisturbed processor time_ns, and its own time
 * goes on. */
void network_compute(struct network *network, int rank, int64_t time_ns);

/* The time until which the rank is busy with its latest turn. */
int64_t network_clock(const struct network *network, int rank);

int64_t network_now(const struct network *network);

/* Arrivals and turns so far. */
int64_t network_events(const struct network *network);

/* Messages that were sent and not received. */
int64_t network_under_way(const struct network *network);

#endif
