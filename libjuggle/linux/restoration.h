/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives back the masks that a process owed, mostly after its death: to the threads of its tables,
 * and to threads that were born with a pin and are in no table.
 *
 * A pinned thread may create others until its own mask is open, one walk may miss a thread that
 * comes while others go, and a thread that is being born while its creator's mask is opened appears
 * with the pin a moment later. So walks are repeated until several in a row, farther and farther
 * apart, have found no pinned thread: a quarter of a second after the last pin. */
#ifndef JUGGLE_LINUX_RESTORATION_H
#define JUGGLE_LINUX_RESTORATION_H

#include "libjuggle/linux/mask_table.h"

struct restoration;

/* Restores the threads that the tables name. The search for other threads ends when `quiet_walks`
 * walks in a row have found none. The tables outlive the restoration. Returns -ENOMEM. */
int restoration_begin(int proc_fd, struct mask_table *const *tables, int tables_count,
                      int quiet_walks, struct restoration **restoration) MUST_CHECK;

/* Continues the walks until that time at most. Nothing is due before restoration_next_ns. */
void restoration_go_on(struct restoration *restoration, int64_t until_ns);
int64_t restoration_next_ns(const struct restoration *restoration);
bool restoration_has_ended(const struct restoration *restoration);
/* Makes the next walk the last, whatever it finds. */
void restoration_hurry(struct restoration *restoration);
/* Walks and sleeps in turn until the restoration has ended, or until that time. */
void restoration_await(struct restoration *restoration, int64_t until_ns);

/* Returns a thread that the tables name and whose mask still cannot be set; 0: none. */
pid_t restoration_stuck(const struct restoration *restoration);

/* Frees the restoration, and forgets all rows. Returns how many threads that the tables name got
 * their masks. */
int restoration_end(struct restoration *restoration);

/* Does all of a restoration at once, and forgets all rows. Returns how many threads that the tables
 * name got their masks. */
int restoration_run(int proc_fd, struct mask_table *const *tables, int tables_count);

#endif
