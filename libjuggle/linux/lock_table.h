/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads POSIX read locks on a file that every process has in /proc, and which processes hold them.
 *
 * Reading the kernel's table waits for an RCU grace period (8 to 20 ms), in which other processes'
 * locks wait, too. Each further piece of the table walks over all pieces before it, and any user
 * can make the table long. For a single process, ask lock_bearer_holder first. */
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

/* Reads the locks on files of /proc among the first `lines_max` lines. If the kernel shows no
 * table, there are none. Returns -ENOMEM. */
int lock_table_read(int proc_fd, int lines_max, struct lock_table *table) MUST_CHECK;
void lock_table_release(struct lock_table *table);

/* Finds the inode number that the table has for the file of a process. False if there is no such
 * file, or we may not see it. */
bool lock_bearer_inode(int proc_fd, pid_t pid, unsigned long *inode);

/* Returns another process that has locked a part of the file; 0 if none has, as far as we may see.
 * Ends all locks that this process has on the file. */
pid_t lock_bearer_holder(int proc_fd, pid_t pid);

#endif
