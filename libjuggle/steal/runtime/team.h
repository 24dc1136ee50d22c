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

/* Ends the process for the threads. Returns when all of them wait again. */
void team_stop(struct team *team);

/* For the server: true if no thread has a task, and no arrived task waits for a thread. In a pause
 * arrived tasks do not count. */
bool team_dry(const struct steal_collection *collection);

/* For the server: true if no thread has memory for the tasks that have arrived. */
bool team_starves(const struct steal_collection *collection);

/* Shares half of a thread's tasks beyond a batch, because it works best on whole batches; beyond
 * one task while another thread or rank has none. The `executing` tasks in execution count as
 * kept. */
void team_share(const struct steal_collection *collection, struct worker_tasks *worker_tasks,
                uint32_t executing);

/* For the server: tells the threads that another rank asks and no thread shares any tasks. */
void team_want(struct team *team);

/* For the server: the thread that shares most. Tasks that have just arrived, and that no thread has
 * taken, do not count: otherwise they could travel on for ever while the threads that are to
 * execute them wait for a processor. */
struct worker_tasks *team_richest(const struct steal_collection *collection);

/* For the server, while threads work: sleeps until they run dry, or for a moment, which is shorter
 * if it is `listening` to other ranks. If it is, and has a processor of its own, returns at
 * once. */
void team_wait(struct team *team, bool listening);

#endif
