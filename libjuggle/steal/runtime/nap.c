/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/nap.h"

#include <time.h>

static const int64_t NAP_FIRST_NS = 20 * NSEC_PER_USEC, NAP_MAX_NS = 200 * NSEC_PER_USEC,
                     NAP_CROWDED_MAX_NS = NSEC_PER_MSEC;

void nap_take(struct nap *nap, bool crowded)
{
    const int64_t longer_ns = max_i64(2 * nap->latest_ns, NAP_FIRST_NS);
    struct timespec length;

    nap->latest_ns = min_i64(longer_ns, crowded ? NAP_CROWDED_MAX_NS : NAP_MAX_NS);
    length = (struct timespec){.tv_nsec = nap->latest_ns};
    nanosleep(&length, NULL);
}
