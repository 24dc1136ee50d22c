/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a worker had tasks, in a fixed number of equal parts of the time since it began: a part
 * becomes twice as long whenever the time is up.
 */
#ifndef JUGGLE_STEAL_RUNTIME_TIMELINE_H
#define JUGGLE_STEAL_RUNTIME_TIMELINE_H

#include "libjuggle/ground/units.h"

enum { TIMELINE_PARTS = 512 };

struct timeline {
    int64_t begin_ns;
    int64_t part_ns;
    int64_t active_ns[TIMELINE_PARTS];
};

void timeline_begin(struct timeline *timeline, int64_t now_ns);

/* The worker had tasks; the times come in order. */
void timeline_add(struct timeline *timeline, int64_t from_ns, int64_t to_ns);

/* Adds it to parts of `part_ns` each, of which the first begins `shift_ns` before it. */
void timeline_sum(const struct timeline *timeline, int64_t shift_ns, int64_t part_ns,
                  int64_t sum_ns[TIMELINE_PARTS]);

#endif
