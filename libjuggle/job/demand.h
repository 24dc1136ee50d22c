/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of a processor a thread wants: the share of time in which it ran or waited to run, as
 * successive looks tell it. Pure. */
#ifndef JUGGLE_JOB_DEMAND_H
#define JUGGLE_JOB_DEMAND_H

#include "libjuggle/linux/thread_info.h"

/* Demand is measured over windows of this length. A worker demands at least this share of one. */
#define DEMAND_WINDOW_NS (50 * NSEC_PER_MSEC)
#define DEMAND_SHARE_MIN 0.25
/* A worker also demands at least this time; it counts as busy as soon as it has, even within a
 * window. */
#define DEMAND_EVIDENCE_NS (10 * NSEC_PER_MSEC)
/* A worker must have run for this time, too, because helpers also wait on a busy machine. This is
 * less than one time slice, because each of many threads waits long for a slice. A thread that was
 * awake at every look for a whole window is busy even if it has not run: a helper sleeps again as
 * soon as it has run, but a worker may wait in a run queue for longer than a window before it runs
 * at all (Linux 6.1). */
#define DEMAND_RUN_MIN_NS (3 * NSEC_PER_MSEC)

/* A worker that demands less than this share, over at least the time below, is idle. */
#define DEMAND_SHARE_IDLE 0.05
#define DEMAND_PAUSE_NS   (200 * NSEC_PER_MSEC)

/* Demand from a point in time on. */
struct demand_span {
    int64_t began_ns;
    int64_t total_ns; /* of the demand at that time */
};

struct demand {
    bool busy;        /* demands as much as a worker */
    bool rising;      /* not busy yet, but may be soon */
    bool in_line;     /* neither, but may be: a wait since the look before is not counted yet */
    int64_t run_ns;   /* run time since the thread began */
    int64_t total_ns; /* the same with the waits in run queues */
    int64_t arrived_run_ns;
    int64_t arrived_total_ns;
    int64_t seen_ns;  /* the last look */
    int64_t known_ns; /* the look before, or the beginning of the first window */
    int64_t awake_ns; /* since when it was awake at all looks; INT64_MAX: asleep at the last */
    struct demand_span window;
    struct demand_span quiet;   /* since it last demanded more than an idle thread */
    struct demand_span settled; /* since the first look after the last arrival of any thread */
};

/* The first look at a thread that is no older than `age_ns`. Its demand before the look counts if
 * it is younger than a window. */
void demand_begin(struct demand *demand, const struct thread_info *info, int64_t age_ns,
                  int64_t now_ns);

/* A further look; `arrived_ns` is the last arrival of any thread. True if the thread has become
 * busy. */
bool demand_see(struct demand *demand, const struct thread_info *info, int64_t arrived_ns,
                int64_t now_ns);

/* When a rising thread will be busy if it goes on like this. */
int64_t demand_due_ns(const struct demand *demand);

/* When all looks for DEMAND_EVIDENCE_NS will have found it awake; INT64_MAX: the last one has
 * not. */
int64_t demand_unbroken_ns(const struct demand *demand);

bool demand_is_quiet_for(const struct demand *demand, int64_t duration_ns, int64_t now_ns);

int64_t demand_since_arrival(const struct demand *demand);
int64_t demand_since_settled(const struct demand *demand);
/* From its arrival until it last demanded more than an idle thread. */
int64_t demand_until_quiet(const struct demand *demand);

#endif
