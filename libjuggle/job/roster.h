/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads that are known, and how a new look at them differs from the last. Pure: discovery
 * does the looking.
 *
 * A look is roster_begin, roster_see for every thread that is there, roster_end. A thread keeps its
 * index in [0, threads_max) for as long as it lives; the index of a dead one is given out again. */
#ifndef JUGGLE_JOB_ROSTER_H
#define JUGGLE_JOB_ROSTER_H

#include "libjuggle/linux/thread_info.h"

enum roster_change {
    ROSTER_ARRIVED,
    ROSTER_EXITED,
    ROSTER_RENAMED, /* comm changed: exec, or the thread named itself */
};

/* Told of each change while the look is under way; must not change the roster. */
struct roster_listener {
    void (*changed)(void *context, enum roster_change change, int index,
                    const struct thread_info *info);
    void *context;
};

struct roster;

int roster_create(int threads_max, struct roster **roster) MUST_CHECK;
void roster_destroy(struct roster *roster);

/* The check that failed first, or NULL. */
const char *roster_fault(const struct roster *roster);

void roster_begin(struct roster *roster);
/* -ENOSPC: threads_max are known already; this one is not. -EINVAL: a check failed. */
int roster_see(struct roster *roster, const struct thread_info *info,
               const struct roster_listener *listener) MUST_CHECK;
/* Takes the threads that were not seen since roster_begin() for exited, and frees their indices.
 * Returns how many changes the look has brought. */
int roster_end(struct roster *roster, const struct roster_listener *listener);

/* NULL if the index is free. */
const struct thread_info *roster_thread(const struct roster *roster, int index);

int roster_count(const struct roster *roster);
/* Every known thread has an index below this. */
int roster_limit(const struct roster *roster);

#endif
