/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/timeline.h"

static const int64_t FIRST_PART_NS = 4 * NSEC_PER_USEC;

void timeline_begin(struct timeline *timeline, int64_t now_ns)
{
    *timeline = (struct timeline){.begin_ns = now_ns, .part_ns = FIRST_PART_NS};
}

static void timeline_widen(struct timeline *timeline)
{
    for (int part = 0; part < TIMELINE_PARTS; part++) {
        int64_t sum_ns = 0;

        for (int half = 2 * part; half < 2 * part + 2 && half < TIMELINE_PARTS; half++)
            sum_ns += timeline->active_ns[half];
        timeline->active_ns[part] = sum_ns;
    }
    timeline->part_ns *= 2;
}

void timeline_add(struct timeline *timeline, int64_t from_ns, int64_t to_ns)
{
    int64_t from = max_i64(from_ns - timeline->begin_ns, 0), to = to_ns - timeline->begin_ns;

    while (to > TIMELINE_PARTS * timeline->part_ns)
        timeline_widen(timeline);
    while (from < to) {
        int64_t part = from / timeline->part_ns;
        int64_t until = min_i64(to, (part + 1) * timeline->part_ns);

        timeline->active_ns[part] += until - from;
        from = until;
    }
}

/* Adds one part; its active time is spread evenly over it. */
static void part_sum(int64_t active_ns, int64_t begin_ns, int64_t length_ns, int64_t part_ns,
                     int64_t sum_ns[TIMELINE_PARTS])
{
    int64_t at_ns = begin_ns, left_ns = active_ns;

    for (int64_t to = at_ns / part_ns; left_ns > 0 && to < TIMELINE_PARTS; to++) {
        int64_t until_ns = min_i64((to + 1) * part_ns, begin_ns + length_ns);
        int64_t share_ns = until_ns < begin_ns + length_ns
                               ? (int64_t)((double)active_ns * (double)(until_ns - at_ns) /
                                           (double)length_ns)
                               : left_ns;

        sum_ns[to] += share_ns;
        left_ns -= share_ns;
        at_ns = until_ns;
    }
}

void timeline_sum(const struct timeline *timeline, int64_t shift_ns, int64_t part_ns,
                  int64_t sum_ns[TIMELINE_PARTS])
{
    for (int part = 0; part < TIMELINE_PARTS; part++)
        part_sum(timeline->active_ns[part], shift_ns + part * timeline->part_ns, timeline->part_ns,
                 part_ns, sum_ns);
}
