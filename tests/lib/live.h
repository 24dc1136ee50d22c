/* SPDX-License-Identifier: BSD-3-Clause */
/* What live tests need of processes and threads: children that die with the test, work, waiting. */
#ifndef JUGGLE_TESTS_LIVE_H
#define JUGGLE_TESTS_LIVE_H

#include "libjuggle/linux/thread_id.h"
#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

/* A child that runs `live` and exits; it is killed when its parent dies, unless it objects. */
pid_t child_start(void (*live)(void *context), void *context);

/* Kills it and takes leave of it. */
void child_end(pid_t pid);

/* Waits for its end, which is to be a success. */
void child_expect_success(pid_t pid);

/* Sleeps until killed. */
void live_forever(void *context);

/* Uses so much CPU time of the calling thread. */
void work_for(int64_t cpu_ns);

/* Waits until it is so; fails the test if it never comes to be. */
void await(bool (*is_so)(void *context), void *context);

/* The full name of a living thread. */
struct thread_id id_of(pid_t pid, pid_t tid);

/* Gives root's rights up for good; false if there were none to give up. */
bool become_nobody(void);

#endif
