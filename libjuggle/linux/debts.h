/* SPDX-License-Identifier: BSD-3-Clause */
/* Records what threads are owed, before they are moved: their own masks; which processes had pinned
 * threads, because a thread may be born with a pin and outlive all threads that were known; and
 * which threads the program has placed itself, because they are left alone. */
#ifndef JUGGLE_LINUX_DEBTS_H
#define JUGGLE_LINUX_DEBTS_H

#include "libjuggle/linux/mask_table.h"

struct debts;

/* The table outlives it. -ENOMEM. */
int debts_create(int proc_fd, struct mask_table *table, struct debts **debts) MUST_CHECK;
void debts_destroy(struct debts *debts);

/* Adds masks that count as pins of ours: each processor of these domains alone, and each domain.
 * Returns -ENOSPC and other errors of mask_table_keep. */
int debts_add_pin_masks(struct debts *debts, const struct cpu_mask *domains,
                        int domains_count) MUST_CHECK;

/* Records the mask that this thread must get back, until debts_forget. Returns -ESRCH if it is
 * gone; -ENOSPC and others of mask_table_keep. One caller at a time. */
int debts_keep(struct debts *debts, int index, const struct thread_id *id,
               const struct cpu_mask *original) MUST_CHECK;
/* True from debts_keep until debts_forget. Calls for different threads may overlap. */
bool debts_has(const struct debts *debts, int index, const struct thread_id *id);
void debts_forget(struct debts *debts, int index);

/* Called before the thread is pinned: threads and processes that its process creates from now on
 * may be born with a pin. Calls for different threads may overlap. */
void debts_note_pin(struct debts *debts, int index);

/* Records that the program has set the mask of this thread itself. */
void debts_let_go(struct debts *debts, const struct thread_id *id);

/* Returns the mask owed to a thread of this process that was born at `born_ticks`: the process's
 * own mask if one of its threads had been pinned by then, even if no such thread lives any more;
 * else NULL. */
const struct cpu_mask *debts_owed(const struct debts *debts, pid_t pid, uint64_t born_ticks);

/* The check that failed first, or NULL. */
const char *debts_fault(const struct debts *debts);

/* Forgets a process of which no thread has a pin any more. */
void debts_release(struct debts *debts, pid_t pid);

#endif
