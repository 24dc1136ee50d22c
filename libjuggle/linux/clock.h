/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of the live balancer, CLOCK_MONOTONIC in nanoseconds, and other clocks. */
#ifndef JUGGLE_LINUX_CLOCK_H
#define JUGGLE_LINUX_CLOCK_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Returns 0 if there is no such clock, as for a thread that has ended. */
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

/* False for INT64_MAX, for which no clock is read. */
static inline bool clock_is_past(int64_t until_ns)
{
    return until_ns != INT64_MAX && clock_now_ns() >= until_ns;
}

/* Returns the processor time of the calling thread. */
static inline int64_t clock_spent_ns(void)
{
    return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns the processor time of all threads of a process, including those that have ended; 0 if
 * there is no such process. */
static inline int64_t clock_process_ns(pid_t pid)
{
    clockid_t clock;

    return clock_getcpuclockid(pid, &clock) ? 0 : clock_read_ns(clock);
}

/* Returns a processor time: that of this process if `who` is RUSAGE_SELF, that of all children that
 * it has waited for if it is RUSAGE_CHILDREN. */
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

/* Returns the greatest possible age of a thread that started at that tick. */
static inline int64_t clock_age_ns(uint64_t start_ticks)
{
    return (int64_t)(clock_boot_ticks() - start_ticks + 1) * (NSEC_PER_SEC / sysconf(_SC_CLK_TCK));
}

#endif
