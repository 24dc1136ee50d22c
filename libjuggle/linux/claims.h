/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes who balances a process, where every juggle of the machine reads it: the balancer holds a
 * read lock on a file of the process in /proc.
 *
 * The kernel keeps the lock, tells everybody the process that holds it, and drops it with that
 * process, however that ends. It needs no right and no file of ours. Anybody may hold such a lock:
 * a holder counts if it may set the masks of the process. A claim covers what descends from the
 * process. Other instances of /proc, as in containers, have claims of their own. */
#ifndef JUGGLE_LINUX_CLAIMS_H
#define JUGGLE_LINUX_CLAIMS_H

#include "libjuggle/linux/procfs.h"

/* A process that is claimed, and by whom; names are printable. */
struct claim {
    pid_t pid;
    struct comm comm;
    pid_t holder;
    struct comm holder_comm;
};

/* "process 12 (solver) is balanced by juggle (process 34) already" */
void claim_format(const struct claim *claim, char *text, size_t size);

/* The claims of one balancer. NULL claims nothing, and finds none. */
struct claims;

/* Those of all balancers of one process: what they have not claimed is asked about without a look
 * at the locks of the whole machine. Begins as zeros, outlives them. */
struct claims_family {
    struct claims *first;
};

/* Several balancers of one process have different marks, positive ones. `family`: NULL where the
 * process may have balancers that are in none. -ENOMEM. */
int claims_create(int proc_fd, int mark, struct claims_family *family,
                  struct claims **claims) MUST_CHECK;
/* Drops all of them. Accepts NULL. */
void claims_destroy(struct claims *claims);

/* Claims a process, or counts that it is claimed once more. -EBUSY: another balancer has claimed it
 * or a process from which it descends, which `other` tells. What cannot be written, for lack of
 * open files, counts as claimed. */
int claims_take(struct claims *claims, pid_t pid, struct claim *other) MUST_CHECK;
/* Takes one claims_take back. */
void claims_drop(struct claims *claims, pid_t pid);

/* The check that failed first, or NULL. */
const char *claims_fault(const struct claims *claims);

/* What was read of others' claims is older than now: claims_take reads again. */
void claims_outdate(struct claims *claims);

/* Writes in words which balancer has claimed the process. */
void claims_explain(int proc_fd, pid_t pid, char *text, size_t size);

/* Tells of every claim on this machine that counts. */
int claims_list(int proc_fd, void (*told)(void *context, const struct claim *claim),
                void *context) MUST_CHECK;

#endif
