/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processes have moved to another NUMA node for good, so that their memory should follow.
 * Pure. */
#ifndef JUGGLE_JOB_FOLLOW_H
#define JUGGLE_JOB_FOLLOW_H

#include "libjuggle/ground/units.h"

#include <sys/types.h>

/* A process has settled when all its threads have been on one node for this time. */
#define FOLLOW_SETTLED_NS (2 * NSEC_PER_SEC)

/* Moves the memory of the process to the node of the processor. -EAGAIN: not now, ask again. */
struct follow_port {
    int (*move)(void *context, pid_t pid, int processor, int64_t now_ns);
    void *context;
};

struct follow;

int follow_create(int threads_max, const struct follow_port *port,
                  struct follow **follow) MUST_CHECK;
void follow_destroy(struct follow *follow);

/* The check that failed first, or NULL. */
const char *follow_fault(const struct follow *follow);

void follow_arrived(struct follow *follow, int index, pid_t pid);
void follow_left(struct follow *follow, int index);

/* Where the thread is placed now: a processor, and the node of that. */
void follow_see(struct follow *follow, int index, int processor, int node, int64_t now_ns);

/* To be called when all threads have been seen: moves the memory of processes that have settled on
 * another node. */
void follow_decide(struct follow *follow, int64_t now_ns);

#endif
