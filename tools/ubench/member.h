/* SPDX-License-Identifier: BSD-3-Clause */
/* What one thread, process or rank of the benchmark does between its first and last barrier. */
#ifndef JUGGLE_UBENCH_MEMBER_H
#define JUGGLE_UBENCH_MEMBER_H

#include "tools/ubench/settings.h"

/* How members meet: a barrier, or an exchange of messages. */
struct meeting {
    void (*meet)(void *context);
    void *context;
};

/* Pins itself if asked, computes all phases and enters its arrivals (one more than phases) and its
 * work into its rows of the attendance. 0, or -errno after complaining. */
int member_run(const struct settings *settings, const struct meeting *meeting, int index,
               int64_t *arrived_ns, int64_t *work_ns) MUST_CHECK;

#endif
