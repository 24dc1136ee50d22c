/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notices when Open MPI polls without success: it calls sched_yield then, if it was told or has
 * found that ranks share processors.
 */
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/waiter.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

EXPORT int sched_yield(void)
{
    return waiter_idle(NULL) ? 0 : (int)syscall(SYS_sched_yield);
}
