/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notices when MPICH polls without success: MPICH asks UCX, its transport, at each look, whatever
 * other sources it looks at. MPICH over another transport is not noticed, and waits as it always
 * did.
 */
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/waiter.h"

#include <stddef.h>

/* A function of UCX: returns how many events there were. */
EXPORT unsigned ucp_worker_progress(void *worker);

EXPORT unsigned ucp_worker_progress(void *worker)
{
    static next_t known;
    __typeof__(&ucp_worker_progress) next = next_find(&known, "ucp_worker_progress", "/libucp");

    if (!next)
        return 0;
    const unsigned count = next(worker);
    if (count > 0)
        waiter_busy();
    else
        waiter_idle(NULL);
    return count;
}
