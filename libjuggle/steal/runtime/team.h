/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads of a rank in threads mode: they execute tasks and steal from each other through their
 * deques, while the thread that called steal_process(), the server, talks to other ranks.
 */
#ifndef JUGGLE_STEAL_RUNTIME_TEAM_H
#define JUGGLE_STEAL_RUNTIME_TEAM_H

#include "libjuggle/steal/runtime/collection.h"

struct team;

/* Starts the threads, which wait. On failure the runtime's message says why. */
int team_open(struct steal_runtime *runtime, struct team **team) MUST_CHECK;

/* Accepts NULL. */
void team_close(struct team *team);

void team_start(struct team *team, struct steal_collection *collection);

/* Returns when all threads wait again. */
void team_stop(struct team *team);

/* For the server: no thread has a task, nor is there one that it has not seen. */
bool team_dry(const struct steal_collection *collection);

/* For the server: no thread has memory for the tasks that have arrived. */
bool team_starves(const struct steal_collection *collection);

/* Lets others have tasks of a thread that has another `executing` in hand: half of those beyond a
 * batch, which is what it works on best; but half of all while somebody has none. */
void team_share(const struct steal_collection *collection, struct worker_tasks *worker_tasks,
                uint32_t executing);

/* For the server: another rank asks, and no thread has put tasks aside. */
void team_want(struct team *team);

/* For the server: the thread with the most to take. What has just arrived does not count,
 * or tasks could travel on for ever while the threads that are to execute them wait for a
 * processor. */
struct worker_tasks *team_richest(const struct steal_collection *collection);

/* For the server, while threads work: sleeps until they run dry, or, if `listening`, for a moment,
 * unless it has a processor of its own. */
void team_wait(struct team *team, bool listening);

#endif
