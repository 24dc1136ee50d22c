/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/await.h"

#include "libjuggle/ground/units.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <time.h>

#define REFUSED_LOOK_NS (10 * NSEC_PER_MSEC)

int await_until(struct pollfd *fds, int count, int64_t until_ns)
{
    const int64_t left_ns = max_i64(0, until_ns - clock_now_ns());
    const struct timespec left = {left_ns / NSEC_PER_SEC, left_ns % NSEC_PER_SEC};
    const struct timespec look = {0, min_i64(left_ns, REFUSED_LOOK_NS)};
    const int ready_count = ppoll(fds, (nfds_t)count, until_ns == INT64_MAX ? NULL : &left, NULL);

    if (ready_count >= 0)
        return ready_count;
    if (errno != EINTR)
        clock_nanosleep(CLOCK_MONOTONIC, 0, &look, NULL);
    return 0;
}
