/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of one job. Each counts how often it has joined. */
#ifndef JUGGLE_JUGGLED_PROCESSES_H
#define JUGGLE_JUGGLED_PROCESSES_H

#include "juggled/care/process.h"

enum { PROCESSES_MAX = 512 };

struct processes {
    int count;
    struct process list[PROCESSES_MAX];
};

/* Finds a process by pid and start time; NULL if it is not in the list. */
struct process *processes_find(struct processes *processes, const struct process *process);

/* Adds it as having joined once. -ENOSPC. */
int processes_add(struct processes *processes, const struct process *process) MUST_CHECK;
void processes_drop(struct processes *processes, struct process *process);

/* Removes those that have ended, even if the pid belongs to another process by now. */
void processes_prune(struct processes *processes, int proc_fd);

/* Opens the living processes (see process_open) and removes the others. Returns how many live,
 * or -errno if one cannot be examined; then none is open. */
int processes_open(struct processes *processes, int proc_fd, int pidfds[PROCESSES_MAX]) MUST_CHECK;

/* Closes them. True if none has ended since it was opened, so that no pid belongs to another
 * process. */
bool processes_close(const int *pidfds, int count);

/* Number of threads of all of them. */
long processes_threads(const struct processes *processes, int proc_fd);

/* See process_to_json. */
json_t *processes_to_json(const struct processes *processes);

#endif
