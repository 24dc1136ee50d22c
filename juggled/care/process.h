/* SPDX-License-Identifier: BSD-3-Clause */
/* Which process is meant, whose it is and what it is: its start tells it from a later one. */
#ifndef JUGGLE_JUGGLED_PROCESS_H
#define JUGGLE_JUGGLED_PROCESS_H

#include "juggled/rules/rule.h"
#include "libjuggle/linux/thread_id.h"

#include <jansson.h>

struct process {
    pid_t pid;
    uint64_t start_ticks;
    uid_t uid;
    gid_t gid;
    bool foreign;         /* real, effective and saved ids differ: it acts for somebody else */
    const char *reserved; /* why it is balanced for nobody: the kernel's, the service; or NULL */
    int joins;            /* of its job, how often */
};

static inline bool process_is(const struct process *a, const struct process *b)
{
    return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

/* -ESRCH: there is none. Others, -EMFILE among them: it cannot be looked at now, and says nothing
 * of the process; so with all that follows. */
int process_identify(int proc_fd, pid_t pid, struct process *process) MUST_CHECK;

/* A descriptor that stays this very process'. -ESRCH: it has ended, or another has its number. */
int process_open(int proc_fd, const struct process *process, int *pidfd) MUST_CHECK;
bool process_ended(int pidfd);

/* How many threads it has, 0 if it is gone. */
long process_threads(int proc_fd, const struct process *process);

/* What names it for good. */
json_t *process_to_json(const struct process *process);

enum { PROCESS_PATH_SIZE = 4096 };

struct process_description {
    struct process_facts facts; /* point into what follows */
    char executable[PROCESS_PATH_SIZE];
    struct comm comm;
    char cgroup[PROCESS_PATH_SIZE];
};

/* What may not be read is left out. -ESRCH: it is gone. */
int process_describe(int proc_fd, const struct process *process,
                     struct process_description *description) MUST_CHECK;

#endif
