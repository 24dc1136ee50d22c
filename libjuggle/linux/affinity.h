/* SPDX-License-Identifier: BSD-3-Clause */
/* Affinity masks of single threads: read, set, and tell who set the one that is there. */
#ifndef JUGGLE_LINUX_AFFINITY_H
#define JUGGLE_LINUX_AFFINITY_H

#include "libjuggle/linux/cpuset.h"

/* -ESRCH, or for set -EPERM: not ours; -EINVAL: none of these processors is allowed; -ENOTSUP: the
 * thread has SCHED_DEADLINE, and the kernel binds it to no part of the machine. */
int affinity_get(pid_t tid, struct cpu_mask *mask) MUST_CHECK;
int affinity_set(pid_t tid, const struct cpu_mask *mask) MUST_CHECK;

/* Binds the calling thread. Refused when the processor has just gone: then it runs wherever it is.
 */
void affinity_bind(int cpu);

/* As affinity_set, for masks that are given back: tried again a few times when it fails for
 * once. */
int affinity_give(pid_t tid, const struct cpu_mask *mask) MUST_CHECK;

/* The mask with those of its processors that are offline, which affinity_get leaves out. -ESRCH;
 * -ENODATA: the kernel does not tell. */
int affinity_get_whole(int proc_fd, const struct thread_id *id, struct cpu_mask *mask) MUST_CHECK;

/* Whether the thread's mask could be set, without doing it. -EPERM: it is not ours; -ESRCH;
 * -ENOTSUP: it has SCHED_DEADLINE. */
int affinity_may_set(pid_t tid) MUST_CHECK;

enum affinity_owner {
    AFFINITY_OURS,   /* as juggle set it, for all that the cpuset leaves of it */
    AFFINITY_USERS,  /* as the program was given it */
    AFFINITY_UNDONE, /* a cpuset change has opened the mask that juggle set; where the cpuset is not
                        known, perhaps also cut it */
    AFFINITY_PROGRAM, /* the program chose processors of its own */
};

/* Tells who set the mask `now` of a thread that had `original` first and got `ours` from juggle,
 * where its cpuset allows `allowed` (NULL: not known, so that it is guessed). */
enum affinity_owner affinity_classify(const struct cpu_mask *now, const struct cpu_mask *ours,
                                      const struct cpu_mask *original,
                                      const struct cpu_mask *allowed);

/* The same of a thread as it is. -ESRCH. */
int affinity_owner_find(const struct cpuset_files *files, const struct thread_id *id,
                        const struct cpu_mask *ours, const struct cpu_mask *original,
                        enum affinity_owner *owner) MUST_CHECK;

/* True if the thread may run on all of the machine that its cpuset leaves it: it has not been
 * placed by anybody. */
bool affinity_is_open(const struct cpuset_files *files, const struct thread_id *id,
                      const struct cpu_mask *machine);

#endif
