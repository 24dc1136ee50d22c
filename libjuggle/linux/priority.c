/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/priority.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    FIFO_LEVEL = 1, /* above all that is not real-time, below all that is */
    NICE_BEST = -20,
    NICE_LIMIT_BASE = 20, /* RLIMIT_NICE counts from here downwards: see getrlimit(2) */
};

/* A level that the thread has already, as when a real-time program is launched, is not lowered. */
static int fifo_level(void)
{
    struct sched_param parameter;

    if (sched_getparam(0, &parameter))
        return FIFO_LEVEL;
    return parameter.sched_priority > FIFO_LEVEL ? parameter.sched_priority : FIFO_LEVEL;
}

static int fifo_raise(int level)
{
    const struct sched_param parameter = {.sched_priority = level};

    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) < 0 ? -errno : 0;
}

/* The best niceness that the resource limit leaves to the unprivileged. */
static int nice_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NICE, &limit) < 0)
        return 0;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > NICE_LIMIT_BASE - NICE_BEST)
        return NICE_BEST;
    return NICE_LIMIT_BASE - (int)limit.rlim_cur;
}

/* Linux has a niceness for each thread. */
static int nice_raise(void)
{
    id_t self = (id_t)gettid();
    int before = getpriority(PRIO_PROCESS, self);

    if (setpriority(PRIO_PROCESS, self, NICE_BEST) < 0 && nice_limit() < before)
        (void)!setpriority(PRIO_PROCESS, self, nice_limit());
    return getpriority(PRIO_PROCESS, self);
}

void priority_raise(struct priority *priority)
{
    const struct sched_param plain = {0};
    const int before = getpriority(PRIO_PROCESS, (id_t)gettid());
    const int level = fifo_level();

    priority->error = fifo_raise(level);
    if (!priority->error) {
        priority->kind = PRIORITY_FIFO;
        priority->level = level;
        return;
    }
    priority->level = nice_raise();
    priority->kind = priority->level < before ? PRIORITY_NICE : PRIORITY_NONE;
    if (priority->kind == PRIORITY_NICE)
        (void)!sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &plain);
}

int priority_format(const struct priority *priority, char *text, size_t size)
{
    switch (priority->kind) {
    case PRIORITY_FIFO:
        return snprintf(text, size, "SCHED_FIFO %d", priority->level);
    case PRIORITY_NICE:
    case PRIORITY_NONE:
        break;
    }
    return snprintf(text, size, "nice %d (SCHED_FIFO not permitted)", priority->level);
}
