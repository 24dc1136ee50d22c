/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the balancers, for balancers.c and its tests. */
#ifndef JUGGLE_JOB_BALANCERS_STATE_H
#define JUGGLE_JOB_BALANCERS_STATE_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/job/allowance.h"
#include "libjuggle/job/balancers.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum {
    INTERVALS_KEPT = 1024,
    CACHE_LINE_SIZE = 64,
};

struct crew {
    _Alignas(CACHE_LINE_SIZE) _Atomic uint32_t arrived_count; /* in this turn */
    uint32_t members_count;
    _Alignas(CACHE_LINE_SIZE) _Atomic uint32_t decided_count; /* turns, since the start */
    _Atomic uint32_t sleepers_count;                          /* waiting for a decision */
    int64_t turned_ns;
    /* Written by the balancer that decides; a reader may see the statistics of half a turn. */
    _Atomic int64_t turns_count;
    _Atomic int64_t interval_min_ns, interval_max_ns;
    _Atomic int64_t intervals_ns[INTERVALS_KEPT];
};

struct balancer_thread {
    struct balancers *balancers;
    int processor; /* -1: serves all domains */
    pthread_t thread;
    bool started;
    uint32_t taken_count; /* turns that it has arrived in */
    int64_t expected_ns;  /* forecast of the next turn, while the last one is undecided */
    struct priority priority;
    clockid_t clock; /* of its processor time */
    struct allowance allowance;
};

struct balancers {
    enum balancers_shape shape;
    const struct machine *machine;
    struct engine *engine;
    _Atomic bool stopping;
    struct fault fault;
    _Atomic uint32_t bell;
    _Atomic int share_ppm; /* of one processor, for each member */
    struct crew *crews;    /* by domain */
    int members_count;
    struct balancer_thread *members;
    sem_t ready; /* posted by each balancer when it has its priority */
};

#endif
