/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The masks that threads are owed: in memory that a guardian shares, and in a file that outlives it
 * where that is wanted.
 *
 * The file has its room when the table is made, so that a full disk is told then; it is read and
 * written by calls, never through a mapping, which would kill whoever touches a page that the disk
 * does not have.
 */
#ifndef JUGGLE_LINUX_MASK_TABLE_H
#define JUGGLE_LINUX_MASK_TABLE_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/thread_id.h"

/* What one thread must get back. */
struct mask_debt {
    struct thread_id id;
    struct cpu_mask original;
};

struct mask_table;

/* An empty table of rows [0, rows_count). `fd` is an empty file, which stays the caller's, or -1.
 * -ENOMEM; -ENOSPC, -EDQUOT, -EFBIG: the file has no room; others of the file. */
int mask_table_create(int rows_count, int fd, struct mask_table **table) MUST_CHECK;

/* As it was left in such a file; what is forgotten from now on is forgotten there, too. -EBADMSG:
 * that is no table of this juggle; others of pread. */
int mask_table_read(int fd, struct mask_table **table) MUST_CHECK;

void mask_table_destroy(struct mask_table *table);

int mask_table_rows(const struct mask_table *table);
/* Of the file, -1 if there is none: a child that closes all others keeps it. */
int mask_table_fd(const struct mask_table *table);

/* NULL if the row is empty. */
const struct mask_debt *mask_table_debt(const struct mask_table *table, int row);

/* Several callers may change different rows at once. */
void mask_table_keep(struct mask_table *table, int row, const struct mask_debt *debt);
void mask_table_forget(struct mask_table *table, int row);

#endif
