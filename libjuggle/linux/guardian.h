/* SPDX-License-Identifier: BSD-3-Clause */
/* A tiny process that gives the threads their original masks back if juggle dies before it could,
 * be it by SIGKILL.
 *
 * It shares a table with its parent (libjuggle/linux/mask_table.h) and sleeps. guardian_stop ends
 * the line between them and the guardian leaves; when the parent dies without it, the guardian
 * restores every mask in the table whose thread still has the same start time, and those of threads
 * that were born with a pin (libjuggle/linux/restoration.h).
 *
 * Whoever has many tables keeps each in a file, and has one guardian for all of them. */
#ifndef JUGGLE_LINUX_GUARDIAN_H
#define JUGGLE_LINUX_GUARDIAN_H

#include "libjuggle/linux/debts.h"
#include "libjuggle/linux/restoration.h"

struct guardian;

/* Without a process, which guardian_renew starts before the first mask is set: a program that ends
 * before does without. Threads are indexes in [0, threads_max). With a table_fd above 0 the table
 * is in that empty file, too, which stays the caller's, and whose guardian is another. -ENOMEM,
 * -ENOSPC and others of mask_table_create. */
int guardian_create(int table_fd, int proc_fd, int threads_max,
                    struct guardian **guardian) MUST_CHECK;

/* What the guardian does instead of restoring its own table; it keeps the file open. */
struct guardian_duty {
    void (*restore)(void *context);
    void *context;
    int fd;
};

/* One that has no table, and its process. As guardian_create and guardian_renew. */
int guardian_start_for(const struct guardian_duty *duty, int proc_fd,
                       struct guardian **guardian) MUST_CHECK;

/* Starts one if there is none, or none any more, with the same table or duty. -EAGAIN, -EMFILE,
 * -ENOMEM: there is none still. */
int guardian_renew(struct guardian *guardian, bool *renewed) MUST_CHECK;

/* All is well: it leaves without doing anything. Reaps it. NULL is allowed. */
void guardian_stop(struct guardian *guardian);

/* In the child that becomes the program: drops what it inherited, without stopping the guardian. */
void guardian_abandon(struct guardian *guardian);

/* 0: it is gone, or never was. */
pid_t guardian_pid(const struct guardian *guardian);
/* Of the guardian's guardian; 0: there is none, as where files outlive both. */
pid_t guardian_deputy_pid(const struct guardian *guardian);

/* Before guardian_stop, when nothing is pinned any more: finds who was born with a pin, and those
 * whose masks could not be given back. As restoration_begin; it is ended before guardian_stop. */
int guardian_restore(struct guardian *guardian, int quiet_walks,
                     struct restoration **restoration) MUST_CHECK;

/* What the guardian goes by; it is gone with it. */
struct debts *guardian_debts(const struct guardian *guardian);

#endif
