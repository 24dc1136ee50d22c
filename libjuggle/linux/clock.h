/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of the live balancer, CLOCK_MONOTONIC in nanoseconds, and those beside it. */
#ifndef JUGGLE_LINUX_CLOCK_H
#define JUGGLE_LINUX_CLOCK_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* 0 if there is none: of a thread that has ended. */
static inline int64_t clock_read_ns(clockid_t clock)
{
    struct timespec now;

    if (clock_gettime(clock, &now))
        return 0;
    return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static inline int64_t clock_now_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

/* Never of INT64_MAX, which asks no clock. */
static inline bool clock_is_past(int64_t until_ns)
{
    return until_ns != INT64_MAX && clock_now_ns() >= until_ns;
}

/* What the calling thread has run. */
static inline int64_t clock_spent_ns(void)
{
    return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* What all threads of a process have run, those that have ended, too; 0 if there is no such. */
static inline int64_t clock_process_ns(pid_t pid)
{
    clockid_t clock;

    return clock_getcpuclockid(pid, &clock) ? 0 : clock_read_ns(clock);
}

/* Of RUSAGE_SELF, the process; of RUSAGE_CHILDREN, all that it has waited for. */
static inline int64_t clock_used_ns(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NSEC_PER_SEC +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NSEC_PER_USEC;
}

/* Clock ticks since boot, as in the start time of a thread. */
static inline uint64_t clock_boot_ticks(void)
{
    struct timespec now;
    const uint64_t ticks_per_second = (uint64_t)sysconf(_SC_CLK_TCK);

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * ticks_per_second +
           (uint64_t)now.tv_nsec * ticks_per_second / NSEC_PER_SEC;
}

/* The most that a thread which started at that tick can have lived. */
static inline int64_t clock_age_ns(uint64_t start_ticks)
{
    return (int64_t)(clock_boot_ticks() - start_ticks + 1) * (NSEC_PER_SEC / sysconf(_SC_CLK_TCK));
}

#endif
