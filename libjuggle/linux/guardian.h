/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tiny process that gives the threads their original masks back if juggle dies before it could,
 * be it by SIGKILL.
 *
 * It shares a table with its parent (libjuggle/linux/mask_table.h) and sleeps on a pipe. While the
 * parent lives nothing is written; guardian_stop writes one byte and the guardian leaves; end of
 * file without it means that the parent died, and the guardian restores every mask in the table
 * whose thread still has the same start time.
 */
#ifndef JUGGLE_LINUX_GUARDIAN_H
#define JUGGLE_LINUX_GUARDIAN_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/thread_id.h"

struct guardian;

/* Start it before any other thread is; slots are [0, threads_max). -ENOMEM, -EAGAIN, -EMFILE. */
int guardian_start(int proc_fd, int threads_max, struct guardian **guardian) MUST_CHECK;

/* As guardian_start, with the table in an empty file, too, which outlives the guardian: it stays
 * the caller's. -ENOSPC and others of mask_table_create. */
int guardian_start_in(int table_fd, int proc_fd, int threads_max,
                      struct guardian **guardian) MUST_CHECK;

/* Starts another one, with the same table, if it is gone. As guardian_start; it is gone still. */
int guardian_renew(struct guardian *guardian, bool *renewed) MUST_CHECK;

/* Restores every mask in such a file whose thread still lives. Returns how many; what is no table
 * of this juggle owes nothing. */
int guardian_restore(int proc_fd, int table_fd);

/* All is well: it leaves without doing anything. Reaps it. NULL is allowed. */
void guardian_stop(struct guardian *guardian);

/* In the child that becomes the program: drops what it inherited, without stopping the guardian. */
void guardian_abandon(struct guardian *guardian);

pid_t guardian_pid(const struct guardian *guardian);

/* Remembers, until it is forgotten, what this thread must get back. Different slots may be changed
 * by several callers at once. */
void guardian_keep(struct guardian *guardian, int slot, const struct thread_id *id,
                   const struct cpu_mask *original);
void guardian_forget(struct guardian *guardian, int slot);

#endif
