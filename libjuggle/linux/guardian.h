/* SPDX-License-Identifier: BSD-3-Clause */
/* A small process that gives the threads their original masks back if juggle dies before it could,
 * even by SIGKILL.
 *
 * It shares a table with its parent (libjuggle/linux/mask_table.h) and sleeps. guardian_stop shuts
 * the line between them, a pair of sockets, and the guardian exits. If the parent dies without
 * guardian_stop, the guardian restores the mask of every thread in the table that still has the
 * same start time, and those of threads that were born with a pin (libjuggle/linux/restoration.h).
 *
 * A program with many tables keeps each in a file, and has one guardian for all of them. */
#ifndef JUGGLE_LINUX_GUARDIAN_H
#define JUGGLE_LINUX_GUARDIAN_H

#include "libjuggle/linux/debts.h"
#include "libjuggle/linux/restoration.h"

struct guardian;

/* Creates the table. The process is started by guardian_renew, before the first mask is set, so
 * that a program that ends earlier needs none. Threads are indexes in [0, threads_max). If table_fd
 * is above 0, the table is also kept in that empty file; it stays the caller's, and another
 * guardian restores it. Returns -ENOMEM, -ENOSPC and others of mask_table_create. */
int guardian_create(int table_fd, int proc_fd, int threads_max,
                    struct guardian **guardian) MUST_CHECK;

/* What the guardian does instead of restoring its own table; it keeps the file open. */
struct guardian_duty {
    void (*restore)(void *context);
    void *context;
    int fd;
};

/* Creates a guardian that has a duty instead of a table, and starts its process. Errors as
 * guardian_create and guardian_renew. */
int guardian_start_for(const struct guardian_duty *duty, int proc_fd,
                       struct guardian **guardian) MUST_CHECK;

/* Starts the process, with the same table or duty, if there is none or it has ended; says in
 * `renewed` if it did. Returns -EAGAIN, -EMFILE, -ENOMEM: there is still none. */
int guardian_renew(struct guardian *guardian, bool *renewed) MUST_CHECK;

/* Tells the process that all is well, so that it exits without restoring anything. Reaps it and
 * frees the guardian. NULL is allowed. */
void guardian_stop(struct guardian *guardian);

/* Called in the child that becomes the program: frees what it inherited without stopping the
 * guardian. */
void guardian_abandon(struct guardian *guardian);

/* Returns the number of the guardian's process; 0 if none was started, or it could not be
 * renewed. */
pid_t guardian_pid(const struct guardian *guardian);
/* Returns the number of the deputy's process; 0 if there is none, as when tables are in files,
 * which outlive both. */
pid_t guardian_deputy_pid(const struct guardian *guardian);

/* Called before guardian_stop, when nothing is pinned any more: looks for threads that were born
 * with a pin, and for threads whose masks could not be given back. As restoration_begin; the
 * restoration has to end before guardian_stop. */
int guardian_restore(struct guardian *guardian, int quiet_walks,
                     struct restoration **restoration) MUST_CHECK;

/* Returns the debts by which the guardian restores. They are destroyed with it. */
struct debts *guardian_debts(const struct guardian *guardian);

#endif
