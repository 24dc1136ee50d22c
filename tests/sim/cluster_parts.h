/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a cluster, as its files see them. */
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
    int64_t known[COLLECTIONS]; /* bound, when it was looked at last */
    int round;                  /* rounds begun */
    bool processing;
    bool resting; /* at a quiet moment */
};

struct cluster {
    const struct cluster_settings *settings;
    int ranks; /* now */
    int round; /* that members begin with */
    struct prng prng;
    int64_t pause_at; /* visits */
    int resting;
    struct network *network;
    struct member *member;
    struct steal_collection **next; /* that each rank works on, to be found early */
    unsigned char *visits;          /* of each node in the rounds so far */
    int64_t best[COLLECTIONS];      /* bound that any rank has found */
    int64_t best_ns;                /* when it was */
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

/* Tasks of any rank may want a pause, and several of them at once. */
static inline bool settings_pause(struct cluster *cluster)
{
    return cluster->settings->pause_every > 0 && cluster->visited >= cluster->pause_at;
}

/* What a rank does when its time has come. */
void member_turn(struct member *member, int rank);

#endif
