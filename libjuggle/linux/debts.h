/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads are owed, as whoever moves them writes it down before he does: their own masks; that
 * their process was pinned, for threads that are born with a pin and may outlive all that were
 * known; and which threads the program has placed itself, which are left alone. */
#ifndef JUGGLE_LINUX_DEBTS_H
#define JUGGLE_LINUX_DEBTS_H

#include "libjuggle/linux/mask_table.h"

struct debts;

/* The table outlives it. -ENOMEM. */
int debts_create(int proc_fd, struct mask_table *table, struct debts **debts) MUST_CHECK;
void debts_destroy(struct debts *debts);

/* What pins are of from now on, besides what they were of before: the processors of these domains,
 * and the domains. -ENOSPC and others of mask_table_keep. */
int debts_set(struct debts *debts, const struct cpu_mask *domains, int domains_count) MUST_CHECK;

/* Remembers, until it is forgotten, what this thread must get back. -ESRCH: it is gone; -ENOSPC and
 * others of mask_table_keep. One caller at a time. */
int debts_keep(struct debts *debts, int index, const struct thread_id *id,
               const struct cpu_mask *original) MUST_CHECK;
/* True from debts_keep until then. Callers for several threads may meet. */
bool debts_has(const struct debts *debts, int index, const struct thread_id *id);
void debts_forget(struct debts *debts, int index);

/* Before the thread is pinned: what its process bears from now on is born with a pin.
 * Callers for several threads may meet. */
void debts_begin(struct debts *debts, int index);

/* The mask of this thread is the program's own. */
void debts_let_go(struct debts *debts, const struct thread_id *id);

/* The mask owed to a thread of this process that was born at `born_ticks`: the process's own mask
 * if one of its threads had been pinned by then, even if none of those lives any more; else NULL.
 */
const struct cpu_mask *debts_owed(struct debts *debts, pid_t pid, uint64_t born_ticks);

/* The check that failed first, or NULL. */
const char *debts_fault(const struct debts *debts);

/* No thread of the process has a pin any more. */
void debts_release(struct debts *debts, pid_t pid);

#endif
