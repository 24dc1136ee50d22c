/* SPDX-License-Identifier: BSD-3-Clause */
/* The masks that threads are owed: in memory that a guardian shares, and, if wanted, in a file that
 * outlives both processes.
 *
 * Neither the file nor the memory takes up room for rows that were never kept: the file has holes
 * there, and the memory has untouched pages. The caller that keeps a row learns if the disk has no
 * room for it. The file is read and written by system calls, not through a mapping, because a
 * process that touches a mapped page without room on the disk is killed. */
#ifndef JUGGLE_LINUX_MASK_TABLE_H
#define JUGGLE_LINUX_MASK_TABLE_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/thread_id.h"

#include <stdatomic.h>

/* What one thread must get back. */
struct mask_debt {
    struct thread_id id;
    struct cpu_mask original;
};

/* The kinds of rows. */
enum mask_rows {
    MASK_ROWS_THREADS, /* one per thread: what it must get back */
    /* One per process, named by its first thread: the mask for threads that were born pinned
     * because their creator was. */
    MASK_ROWS_PROCESSES,
    MASK_ROWS_LET_GO, /* threads that the program itself has placed since: they are left alone */
    /* No debts: row 0 has all processors that pins may name, each other row one domain. They tell a
     * pin of ours from other masks. */
    MASK_ROWS_SET,
    MASK_ROWS_KINDS,
};

struct mask_table;

/* Creates an empty table for `threads_max` threads. `fd` is an empty file, which stays the
 * caller's, or -1. Returns -ENOMEM; -ENOSPC, -EDQUOT: the file has no room for its first bytes;
 * -EFBIG: files may not become that large; others of the file. */
int mask_table_create(int threads_max, int fd, struct mask_table **table) MUST_CHECK;

/* Reads the table that was left in such a file. Rows that are forgotten from now on are forgotten
 * in the file, too. Returns -EBADMSG if it is no table of this juggle; others of pread. */
int mask_table_read(int fd, struct mask_table **table) MUST_CHECK;

void mask_table_destroy(struct mask_table *table);

/* The check of the table that failed first, or NULL. Another process that shares the table may have
 * noted it. */
const char *mask_table_fault(const struct mask_table *table);

/* mask_table_room returns the number of rows of a kind. All rows that were ever kept are below
 * mask_table_limit: the memory of the others is not touched. */
int mask_table_room(const struct mask_table *table, enum mask_rows kind);
int mask_table_limit(const struct mask_table *table, enum mask_rows kind);

/* What the processes that share the memory tell each other besides rows. */
struct mask_table_notice {
    atomic_bool all_is_well; /* the parent has restored what was owed */
    atomic_int guardian_pid; /* of the guardian that was started last */
    atomic_int deputy_pid;   /* of that guardian's deputy; 0: none */
};

struct mask_table_notice *mask_table_notice(struct mask_table *table);

/* True if the row names a thread and a mask that can be given. */
bool mask_table_owes(const struct mask_table *table, enum mask_rows kind, int row);

/* NULL if the row is empty. */
const struct mask_debt *mask_table_debt(const struct mask_table *table, enum mask_rows kind,
                                        int row);

/* Write and empty a row. One caller at a time. mask_table_keep returns -ENOSPC, -EDQUOT and others
 * of the file: the row is empty then. -EINVAL: a check failed, see mask_table_fault. */
int mask_table_keep(struct mask_table *table, enum mask_rows kind, int row,
                    const struct mask_debt *debt) MUST_CHECK;
void mask_table_forget(struct mask_table *table, enum mask_rows kind, int row);

/* Set and get the time at which a row's thread, or one of its process, was pinned first, in ticks
 * as in thread_id; 0: never. Only the first call for a row sets it. Calls for any rows may
 * overlap. */
void mask_table_note_pin(struct mask_table *table, enum mask_rows kind, int row, uint64_t ticks);
uint64_t mask_table_pinned_since(const struct mask_table *table, enum mask_rows kind, int row);

#endif
