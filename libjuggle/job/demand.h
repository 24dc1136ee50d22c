/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of a processor a thread wants, by what successive looks tell of it: the share of time in
 * which it ran or waited to run. Pure. */
#ifndef JUGGLE_JOB_DEMAND_H
#define JUGGLE_JOB_DEMAND_H

#include "libjuggle/linux/thread_info.h"

/* Demand is measured over windows of this length. A worker demands at least this share of one... */
#define DEMAND_WINDOW_NS (50 * NSEC_PER_MSEC)
#define DEMAND_SHARE_MIN 0.25
/* ...and this much: it is believed as soon as it has... */
#define DEMAND_EVIDENCE_NS (10 * NSEC_PER_MSEC)
/* ...if it has also run for this long in all: on a busy machine helpers wait, too. Less than one
 * time slice, for which each of many threads waits long. A thread that was awake at every look for
 * a whole window is busy without: a helper sleeps again as soon as it has run, a worker may stand
 * in line for longer than a window before it runs at all (Linux 6.1). */
#define DEMAND_RUN_MIN_NS (3 * NSEC_PER_MSEC)

/* A worker that demands less than this share, over at least the time below, is idle. */
#define DEMAND_SHARE_IDLE 0.05
#define DEMAND_PAUSE_NS   (200 * NSEC_PER_MSEC)

/* Demand from a point in time on. */
struct demand_span {
    int64_t began_ns;
    int64_t total_ns; /* at that time */
};

struct demand {
    bool busy;        /* demands what a worker does */
    bool rising;      /* not yet, but may be about to */
    bool in_line;     /* neither, but may have waited as much since the look before, uncounted */
    int64_t run_ns;   /* totals since the thread began: of running... */
    int64_t total_ns; /* ...and of running or waiting for it */
    int64_t arrived_run_ns;
    int64_t arrived_total_ns;
    int64_t seen_ns;  /* the last look */
    int64_t known_ns; /* the look before, or its beginning */
    int64_t awake_ns; /* since when no look has found it asleep; INT64_MAX: the last one has */
    struct demand_span window;
    struct demand_span quiet;   /* since it last demanded more than an idle one does */
    struct demand_span settled; /* since it was first seen after the last arrival of any */
};

/* The first look. What it demanded before counts if it is younger than a window: it is no older
 * than `age_ns`. */
void demand_begin(struct demand *demand, const struct thread_info *info, int64_t age_ns,
                  int64_t now_ns);

/* A further look; `arrived_ns` is the last arrival of any thread. True if it has begun to be
 * busy. */
bool demand_see(struct demand *demand, const struct thread_info *info, int64_t arrived_ns,
                int64_t now_ns);

/* When one that is rising will be busy if it goes on. */
int64_t demand_due_ns(const struct demand *demand);

/* From when on no look will have found it asleep for as long as evidence takes; INT64_MAX: the last
 * one has. */
int64_t demand_unbroken_ns(const struct demand *demand);

bool demand_is_quiet_for(const struct demand *demand, int64_t duration_ns, int64_t now_ns);

int64_t demand_since_arrival(const struct demand *demand);
int64_t demand_since_settled(const struct demand *demand);
/* From its arrival until it became idle, if it is. */
int64_t demand_until_quiet(const struct demand *demand);

#endif
