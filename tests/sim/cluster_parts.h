/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a cluster and its ranks; only for the files cluster*.c. */
#ifndef JUGGLE_TESTS_CLUSTER_PARTS_H
#define JUGGLE_TESTS_CLUSTER_PARTS_H

#include "tests/sim/cluster.h"
#include "tests/sim/lifeline_watch.h"

#include "libjuggle/ground/prng.h"
#include "libjuggle/steal/runtime/collection.h"
#include "tools/steal-sim/network.h"

enum { COLLECTIONS = 2 };

struct member {
    struct cluster *cluster;
    struct steal_runtime *runtime;
    struct steal_collection *collection[COLLECTIONS];
    int64_t known[COLLECTIONS]; /* bound at the last check */
    int round;                  /* rounds begun, also those before the ranks were replaced */
    bool processing;
    bool resting; /* has paused, and has not gone on yet */
};

struct cluster {
    const struct cluster_settings *settings;
    int ranks; /* number of ranks at present */
    int round; /* index of the round that new members begin with */
    struct prng prng;
    int64_t pause_at; /* number of visits at which all ranks pause */
    int resting;      /* number of ranks */
    struct network *network;
    struct member *member;
    struct steal_collection **next; /* the collection that each rank works on, beside
                                       `member` so that it can be prefetched */
    unsigned char *visits;          /* by node: number of visits in all rounds so far */
    int64_t best[COLLECTIONS];      /* best bound that any rank has found */
    int64_t best_ns;                /* when the last one in `best` was found */
    int64_t left[COLLECTIONS];      /* tasks that exist, executing ones included */
    int64_t visited;
    bool canceled;
    int finished;
    struct cluster_result *result;
    const char *wrong;
    struct lifeline_watch *watch;
};

/* The collection of a round: they alternate when tasks are relayed. */
static inline int round_collection(const struct cluster_settings *settings, int round)
{
    return settings->relay ? round % COLLECTIONS : 0;
}

/* True if it is time for all ranks to pause. Tasks on several ranks may request the same pause. */
static inline bool settings_pause(struct cluster *cluster)
{
    return cluster->settings->pause_every > 0 && cluster->visited >= cluster->pause_at;
}

/* Runs one turn of the rank: called when the network says that the rank is next. */
void member_turn(struct member *member, int rank);

#endif
