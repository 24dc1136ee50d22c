/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes and threads for live tests: children that die with the test, work, waiting. */
#ifndef JUGGLE_TESTS_LIVE_H
#define JUGGLE_TESTS_LIVE_H

#include "libjuggle/linux/thread_id.h"
#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

/* A child that runs `live` and exits; it is killed when its parent dies, unless it objects. */
pid_t child_start(void (*live)(void *context), void *context);

/* Kills it and waits for its end. */
void child_end(pid_t pid);

/* Waits for its end, and checks that it exited with success. */
void child_expect_success(pid_t pid);

/* Sleeps until killed. */
void live_forever(void *context);

/* Uses this much CPU time of the calling thread. */
void work_for(int64_t cpu_ns);

/* Waits until is_so() returns true; fails the test if that never happens. */
void await(bool (*is_so)(void *context), void *context);

/* The full name of a living thread. */
struct thread_id id_of(pid_t pid, pid_t tid);

/* Gives up root's rights for good; false if the process had none. */
bool become_nobody(void);

#endif
