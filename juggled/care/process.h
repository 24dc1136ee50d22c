/* SPDX-License-Identifier: BSD-3-Clause */
/* Identifies a process, and finds out its user and what it executes. Its start time tells it
 * from a later process with the same pid. */
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
    bool foreign; /* its real, effective and saved user ids differ: it acts for another user */
    uint64_t permitted;   /* capabilities that it may use, in its user namespace */
    const char *reserved; /* why it is never balanced: the kernel's, or juggled; or NULL */
    int joins;            /* how often it has joined its job */
};

static inline bool process_is(const struct process *a, const struct process *b)
{
    return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

/* -ESRCH: there is no such process. Other errors, such as -EMFILE, mean that it cannot be
 * examined now and say nothing about the process. The same holds for all functions below. */
int process_identify(int proc_fd, pid_t pid, struct process *process) MUST_CHECK;

/* Capabilities that it may use in the service's user namespace: 0 if it has one of its own. Reads
 * two files. */
int process_capabilities(int proc_fd, const struct process *process,
                         uint64_t *capabilities) MUST_CHECK;

/* Opens a pidfd, which keeps referring to this process. -ESRCH: it has ended, or its pid belongs
 * to another. */
int process_open(int proc_fd, const struct process *process, int *pidfd) MUST_CHECK;
bool process_ended(int pidfd);

/* Number of its threads; 0 if it has ended. */
long process_threads(int proc_fd, const struct process *process);

/* Its pid and start time. */
json_t *process_to_json(const struct process *process);

enum { PROCESS_PATH_SIZE = 4096 };

struct process_description {
    struct process_facts facts; /* point into the members below */
    char executable[PROCESS_PATH_SIZE];
    struct comm comm;
    char cgroup[PROCESS_PATH_SIZE];
};

/* Leaves out what may not be read. */
int process_describe(int proc_fd, const struct process *process,
                     struct process_description *description) MUST_CHECK;

#endif
