/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread, process or rank of the benchmark, from its first to its last barrier. */
#ifndef JUGGLE_UBENCH_MEMBER_H
#define JUGGLE_UBENCH_MEMBER_H

#include "tools/ubench/settings.h"

/* How members synchronize: at a barrier, or by an exchange of messages. */
struct meeting {
    void (*meet)(void *context);
    void *context;
};

/* Pins the member if asked, computes all phases, and stores its arrivals (one more than phases) and
 * its work in its rows of the attendance. Returns 0, or -errno after complaining. */
int member_run(const struct settings *settings, const struct meeting *meeting, int index,
               int64_t *arrived_ns, int64_t *work_ns) MUST_CHECK;

#endif
