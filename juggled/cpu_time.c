/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/cpu_time.h"

#include "libjuggle/ground/units.h"

#include <sys/resource.h>
#include <time.h>

int64_t cpu_time_process_ns(void)
{
    struct timespec own;
    struct rusage children;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (own.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec) * NSEC_PER_SEC +
           own.tv_nsec + (children.ru_utime.tv_usec + children.ru_stime.tv_usec) * NSEC_PER_USEC;
}
