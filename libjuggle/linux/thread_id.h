/* SPDX-License-Identifier: BSD-3-Clause */
/* Names one thread for good: the start time tells it from a later one that got the same number. */
#ifndef JUGGLE_LINUX_THREAD_ID_H
#define JUGGLE_LINUX_THREAD_ID_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_id {
    pid_t pid;
    pid_t tid;
    uint64_t start_ticks; /* field 22 of /proc/PID/task/TID/stat: clock ticks since boot */
};

static inline bool thread_id_equal(const struct thread_id *a, const struct thread_id *b)
{
    return a->pid == b->pid && a->tid == b->tid && a->start_ticks == b->start_ticks;
}

#endif
