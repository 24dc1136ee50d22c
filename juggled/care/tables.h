/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of masks in a directory, as left by services that were killed. */
#ifndef JUGGLE_JUGGLED_TABLES_H
#define JUGGLE_JUGGLED_TABLES_H

#include "libjuggle/ground/units.h"

#define TABLES_SUFFIX ".masks"

/* Gives all threads the masks that they are owed, and counts these threads. The tables stay.
 * Returns a passing error (trusted_is_passing) if a table could not be read; the masks of the
 * others have been restored all the same. */
int tables_restore(int dir_fd, int proc_fd, int *restored) MUST_CHECK;

void tables_forget(int dir_fd);

#endif
