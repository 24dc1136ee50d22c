/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives the masks back that whoever is dead now owed: to the threads of his tables, and to those
 * that were born with a pin and that he never heard of.
 *
 * A pinned thread may bear others until its own mask is open, one look may miss a thread that comes
 * while others go, and one that is being born while its creator's mask is opened appears with the
 * pin a moment later. So it looks until several looks in a row, farther and farther apart, have
 * found none: a quarter of a second after the last pin. */
#ifndef JUGGLE_LINUX_RESTORATION_H
#define JUGGLE_LINUX_RESTORATION_H

#include "libjuggle/linux/mask_table.h"

struct restoration;

/* Restores those that the tables name. What is left ends when that many walks in a row have found
 * nobody. The tables outlive it. -ENOMEM. */
int restoration_begin(int proc_fd, struct mask_table *const *tables, int tables_count,
                      int quiet_walks, struct restoration **restoration) MUST_CHECK;

/* Walks on, up to that time; nothing is due before restoration_next_ns. */
void restoration_go_on(struct restoration *restoration, int64_t until_ns);
int64_t restoration_next_ns(const struct restoration *restoration);
bool restoration_has_ended(const struct restoration *restoration);
/* One walk more is the last, whomever it finds. */
void restoration_hurry(struct restoration *restoration);
/* All of it at once, or what comes before that time. */
void restoration_await(struct restoration *restoration, int64_t until_ns);

/* A thread that the tables name, and whose mask cannot be set again and again; 0: none. */
pid_t restoration_stuck(const struct restoration *restoration);

/* Forgets all rows. Returns how many threads that the tables name got their masks. */
int restoration_end(struct restoration *restoration);

/* Restores, and forgets all rows. Returns how many threads that the tables name got their masks. */
int restoration_run(int proc_fd, struct mask_table *const *tables, int tables_count);

#endif
