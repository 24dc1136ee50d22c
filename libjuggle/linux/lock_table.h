/* SPDX-License-Identifier: BSD-3-Clause */
/* Read locks of POSIX on a file that every process has in /proc, and who holds them.
 *
 * Reading the table waits for a grace period of RCU (8 to 20 ms), in which other processes' locks
 * wait, too, and each further piece of it walks over all before: any user can make it long. Where
 * one process is in question, ask lock_bearer_holder first. */
#ifndef JUGGLE_LINUX_LOCK_TABLE_H
#define JUGGLE_LINUX_LOCK_TABLE_H

#include "libjuggle/linux/procfs.h"

#define LOCK_BEARER "limits" /* everybody may open it, and nobody write it */

/* One line of the kernel's table. */
struct kernel_lock {
    unsigned long inode;
    pid_t holder;
    long mark; /* the byte that is locked */
};

/* Begins as zeros. */
struct lock_table {
    int count, room;
    struct kernel_lock *list;
};

/* Those on files of /proc, of the first `lines_max` that the kernel shows. Where it shows no table
 * there are none. -ENOMEM. */
int lock_table_read(int proc_fd, int lines_max, struct lock_table *table) MUST_CHECK;
void lock_table_release(struct lock_table *table);

/* By which the table calls the file of a process; false: it has none, or not for us. */
bool lock_bearer_inode(int proc_fd, pid_t pid, unsigned long *inode);

/* One of the other processes that have locked some of the file, as far as we may see it; 0: none
 * has. All locks of this process on it end with the question. */
pid_t lock_bearer_holder(int proc_fd, pid_t pid);

#endif
