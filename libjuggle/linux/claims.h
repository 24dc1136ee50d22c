/* SPDX-License-Identifier: BSD-3-Clause */
/* A claim notes which balancer balances a process, so that every juggle of the machine can read it:
 * the balancer holds a read lock on a file of the process in /proc.
 *
 * The kernel keeps the lock, shows everybody which process holds it, and drops it when that process
 * ends in any way. A lock needs no privilege and no file of ours. Any process can hold such a lock,
 * so a holder counts only if it may set the masks of the process. A claim covers the descendants of
 * the process, too. Another instance of /proc, as in a container, has claims of its own. */
#ifndef JUGGLE_LINUX_CLAIMS_H
#define JUGGLE_LINUX_CLAIMS_H

#include "libjuggle/linux/procfs.h"

/* A process that is claimed, and the balancer that has claimed it. The names are untrusted. */
struct claim {
    pid_t pid;
    struct comm comm;
    pid_t holder;
    struct comm holder_comm;
};

/* "process 12 (solver) is balanced by juggle (process 34) already" */
void claim_format(const struct claim *claim, char *text, size_t size);

/* The claims of one balancer. The functions accept NULL, which claims nothing and finds no
 * claim. */
struct claims;

/* The claims of all balancers in one process. A process that none of them has claimed can be
 * checked without reading the lock table of the whole machine. Begins as zeros, outlives the
 * claims. */
struct claims_family {
    struct claims *first;
};

/* `mark` is positive and differs between the balancers of one process. `family` is NULL if this
 * process may have balancers that are in no family. Returns -ENOMEM. */
int claims_create(int proc_fd, int mark, struct claims_family *family,
                  struct claims **claims) MUST_CHECK;
/* Drops all of them. Accepts NULL. */
void claims_destroy(struct claims *claims);

/* Claims a process, or counts one more claim if we have claimed it already. Returns -EBUSY and
 * fills in `other` if another balancer has claimed the process or an ancestor of it. If the file to
 * be locked cannot be opened, as with too many open files, the process counts as claimed all the
 * same. */
int claims_take(struct claims *claims, pid_t pid, struct claim *other) MUST_CHECK;
/* Takes one claims_take back. */
void claims_drop(struct claims *claims, pid_t pid);

/* The check that failed first, or NULL. */
const char *claims_fault(const struct claims *claims);

/* Marks the lock table that was read as out of date: claims_take reads it again. */
void claims_outdate(struct claims *claims);

/* Writes in words which balancer has claimed the process. */
void claims_explain(int proc_fd, pid_t pid, char *text, size_t size);

/* Calls `told` for every claim on this machine that counts. */
int claims_list(int proc_fd, void (*told)(void *context, const struct claim *claim),
                void *context) MUST_CHECK;

#endif
