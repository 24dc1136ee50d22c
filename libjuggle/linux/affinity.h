/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and sets the affinity masks of single threads, and tells who set the present one. */
#ifndef JUGGLE_LINUX_AFFINITY_H
#define JUGGLE_LINUX_AFFINITY_H

#include "libjuggle/linux/cpuset.h"

/* Read and set the mask of a thread. Return -ESRCH if it is gone. affinity_set also returns -EPERM
 * if we may not set it, -EINVAL if none of these processors is allowed, and -ENOTSUP if the thread
 * has SCHED_DEADLINE, because the kernel binds no such thread to a part of the machine. */
int affinity_get(pid_t tid, struct cpu_mask *mask) MUST_CHECK;
int affinity_set(pid_t tid, const struct cpu_mask *mask) MUST_CHECK;

/* Binds the calling thread. If the kernel refuses, because the processor has just gone, the thread
 * keeps its mask. */
void affinity_bind(int cpu);

/* As affinity_set, for masks that are given back: tries this often, because a failure may be
 * temporary. */
enum { AFFINITY_GIVE_TRIES = 3 };
int affinity_give(pid_t tid, const struct cpu_mask *mask) MUST_CHECK;

/* Reads the mask with its offline processors, which affinity_get leaves out. Returns -ESRCH if the
 * thread is gone, -ENODATA if the kernel does not tell. */
int affinity_get_whole(int proc_fd, const struct thread_id *id, struct cpu_mask *mask) MUST_CHECK;

/* Returns 0 if the thread's mask could be set, without setting it; -EPERM if we may not, -ESRCH if
 * the thread is gone, -ENOTSUP if it has SCHED_DEADLINE. */
int affinity_may_set(pid_t tid) MUST_CHECK;

enum affinity_owner {
    AFFINITY_OURS,  /* the mask that juggle set, or the part of it that the cpuset leaves */
    AFFINITY_USERS, /* the original mask, or the part of it that the cpuset leaves */
    /* A cpuset change has opened the mask that juggle set. If the cpuset is not known, the change
     * may also have cut it. */
    AFFINITY_UNDONE,
    AFFINITY_PROGRAM, /* the program chose processors of its own */
};

/* Tells who set the mask `now` of a thread. Its first mask was `original`, juggle has set `ours`,
 * and its cpuset allows `allowed`. If the cpuset is not known (NULL), the answer is a guess. */
enum affinity_owner affinity_classify(const struct cpu_mask *now, const struct cpu_mask *ours,
                                      const struct cpu_mask *original,
                                      const struct cpu_mask *allowed);

/* As affinity_classify, for the present mask and cpuset of a thread. Returns -ESRCH if it is
 * gone. */
int affinity_owner_find(const struct cpuset_files *files, const struct thread_id *id,
                        const struct cpu_mask *ours, const struct cpu_mask *original,
                        enum affinity_owner *owner) MUST_CHECK;

/* True if the thread may run on all processors of the machine that its cpuset leaves it: nobody has
 * placed it. */
bool affinity_is_open(const struct cpuset_files *files, const struct thread_id *id,
                      const struct cpu_mask *machine);

#endif
