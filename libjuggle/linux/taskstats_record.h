/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the kernel's struct taskstats of any version by its own account of version and length.
 * Pure. */
#ifndef JUGGLE_LINUX_TASKSTATS_RECORD_H
#define JUGGLE_LINUX_TASKSTATS_RECORD_H

#include "libjuggle/ground/units.h"

struct taskstats_record {
    int64_t run_ns;
    int64_t wait_ns;
    int64_t slices_count;
    int64_t age_ns; /* since the thread began, cut to microseconds */
};

/* -EBADMSG: too short for the fields that it should have. */
int taskstats_record_parse(const void *stats, size_t size,
                           struct taskstats_record *record) MUST_CHECK;

#endif
