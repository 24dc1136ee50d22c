/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives the masks back that whoever is dead now owed: to the threads of his tables, and to those
 * that were born with a pin and that he never heard of.
 *
 * A pinned thread may bear others until its own mask is open, one look may miss a thread that comes
 * while others go, and one that is being born while its creator's mask is opened appears with the
 * pin a moment later. So it looks until several looks in a row, farther and farther apart, have
 * found none: a quarter of a second after the last pin.
 */
#ifndef JUGGLE_LINUX_RESTORATION_H
#define JUGGLE_LINUX_RESTORATION_H

#include "libjuggle/linux/mask_table.h"

/* Restores, and forgets all rows. Returns how many threads that the tables name got their masks. */
int restoration_run(int proc_fd, struct mask_table *const *tables, int tables_count);

#endif
