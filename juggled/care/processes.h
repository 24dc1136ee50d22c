/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of one job, each as often as it has joined. */
#ifndef JUGGLE_JUGGLED_PROCESSES_H
#define JUGGLE_JUGGLED_PROCESSES_H

#include "juggled/care/process.h"

enum { PROCESSES_MAX = 512 };

struct processes {
    int count;
    struct process list[PROCESSES_MAX];
};

/* This very one; NULL if it is not among them. */
struct process *processes_find(struct processes *processes, const struct process *process);

/* Has joined once then. -ENOSPC. */
int processes_add(struct processes *processes, const struct process *process) MUST_CHECK;
void processes_drop(struct processes *processes, struct process *process);

/* Forgets those that have ended, even if another has the number by now. */
void processes_prune(struct processes *processes, int proc_fd);

/* Opens those that live, see process_open, and forgets the others. Returns how many there are, or
 * -errno when one cannot be looked at: nothing is open then. */
int processes_open(struct processes *processes, int proc_fd, int pidfds[PROCESSES_MAX]) MUST_CHECK;

/* True if none has ended since they were opened: so nobody has got its number. */
bool processes_close(const int *pidfds, int count);

/* How many threads they have. */
long processes_threads(const struct processes *processes, int proc_fd);

/* See process_to_json. */
json_t *processes_to_json(const struct processes *processes);

#endif
