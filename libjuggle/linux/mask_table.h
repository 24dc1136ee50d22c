/* SPDX-License-Identifier: BSD-3-Clause */
/* The masks that threads are owed: in memory that a guardian shares, and in a file that outlives it
 * where that is wanted.
 *
 * The file has holes where no row was kept yet, as the memory has pages that nobody has touched: a
 * table costs what is in it. Who keeps a row is told when the disk has no room for it. The file is
 * read and written by calls, never through a mapping, which would kill whoever touches a page that
 * the disk does not have. */
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

/* What rows are of. */
enum mask_rows {
    MASK_ROWS_THREADS, /* by thread: what this one must get back */
    /* One row per process, named by its first thread: the mask that threads get back which were
     * born pinned because their creator was. */
    MASK_ROWS_PROCESSES,
    MASK_ROWS_LET_GO, /* threads that the program has placed since: they are left alone */
    /* No debts: row 0 is all processors that pins may name, the others one domain each. By them a
     * pin of ours is told from other masks. */
    MASK_ROWS_SET,
    MASK_ROWS_KINDS,
};

struct mask_table;

/* An empty table for that many threads. `fd` is an empty file, which stays the caller's, or -1.
 * -ENOMEM; -ENOSPC, -EDQUOT: the file has no room for its first bytes; -EFBIG: files may not become
 * as large; others of the file. */
int mask_table_create(int threads_max, int fd, struct mask_table **table) MUST_CHECK;

/* As it was left in such a file; what is forgotten from now on is forgotten there, too. -EBADMSG:
 * that is no table of this juggle; others of pread. */
int mask_table_read(int fd, struct mask_table **table) MUST_CHECK;

void mask_table_destroy(struct mask_table *table);

/* The check of the table that failed first, or NULL: whoever shares it may have noted it. */
const char *mask_table_fault(const struct mask_table *table);

/* How many there can be; rows that were ever kept are below the limit: the others' memory is not
 * touched. */
int mask_table_room(const struct mask_table *table, enum mask_rows kind);
int mask_table_limit(const struct mask_table *table, enum mask_rows kind);

/* What else all who share the memory are to know. */
struct mask_table_notice {
    atomic_bool all_is_well; /* the parent has restored what was owed */
    atomic_int guardian_pid; /* the last one */
    atomic_int deputy_pid;   /* its own; 0: none */
};

struct mask_table_notice *mask_table_notice(struct mask_table *table);

/* True if the row names a thread and a mask that can be given. */
bool mask_table_owes(const struct mask_table *table, enum mask_rows kind, int row);

/* NULL if the row is empty. */
const struct mask_debt *mask_table_debt(const struct mask_table *table, enum mask_rows kind,
                                        int row);

/* One caller keeps and forgets at a time. -ENOSPC, -EDQUOT and others of the file: the row
 * is empty. -EINVAL: a check failed, see mask_table_fault. */
int mask_table_keep(struct mask_table *table, enum mask_rows kind, int row,
                    const struct mask_debt *debt) MUST_CHECK;
void mask_table_forget(struct mask_table *table, enum mask_rows kind, int row);

/* When a row's thread, or one of its process, was pinned first, in ticks as in thread_id; 0: never.
 * The first to say so is believed; callers for any rows may meet. */
void mask_table_begin(struct mask_table *table, enum mask_rows kind, int row, uint64_t ticks);
uint64_t mask_table_since(const struct mask_table *table, enum mask_rows kind, int row);

#endif
