/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A record of when a worker had tasks: for how long in each of a fixed number of equal parts of the
 * time since it began. All parts become twice as long whenever the time exceeds them.
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

/* Adds a time in which the worker had tasks; times come in order. */
void timeline_add(struct timeline *timeline, int64_t from_ns, int64_t to_ns);

/* Adds the timeline to parts of `part_ns` each, the first of which begins `shift_ns` before it. */
void timeline_sum(const struct timeline *timeline, int64_t shift_ns, int64_t part_ns,
                  int64_t sum_ns[TIMELINE_PARTS]);

#endif
