/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds every thread of a program and of all its descendants, across fork, exec and new sessions,
 * and tells of arrivals and exits.
 *
 * Descent alone counts, not depth, group or session: a process belongs once its parent does, and
 * keeps belonging when it is orphaned. /proc is polled, fast after a change and then slower. If the
 * proc connector is permitted, it says at once when to look, unless events never cease on the
 * machine. */
#ifndef JUGGLE_JOB_DISCOVERY_H
#define JUGGLE_JOB_DISCOVERY_H

#include "libjuggle/job/roster.h"

struct discovery_options {
    int proc_fd; /* stays the caller's, and open */
    /* Launching: the launcher's own pid, which as a subreaper adopts all orphans, and
     * roots_included = false. Attaching: the pids that were given, and true. */
    const pid_t *roots;
    int roots_count;
    bool roots_included;
    int threads_max;
    bool connector;  /* use it if permitted */
    int64_t look_ns; /* between looks at a quiet program; 0: a default */
};

struct discovery;

/* -ENOMEM. The arrays are copied. */
int discovery_create(const struct discovery_options *options,
                     struct discovery **discovery) MUST_CHECK;
void discovery_destroy(struct discovery *discovery);

/* Looks for threads, in pieces, and tells the listener of each change as it is found. `now_ns` is
 * CLOCK_MONOTONIC. -EAGAIN: until_ns came before the end of the look, which is due again. -ESRCH:
 * attached, and nothing that we may see lives any more. Other failures, such as -EMFILE, are
 * temporary: look again. A full roster is no failure: see discovery_overflow. */
int discovery_scan_until(struct discovery *discovery, int64_t now_ns, int64_t until_ns,
                         const struct roster_listener *listener) MUST_CHECK;

/* discovery_due(): true if a scan is due. discovery_next_ns(): when a scan, a check or a hearing is
 * due next. */
bool discovery_due(const struct discovery *discovery, int64_t now_ns);
int64_t discovery_next_ns(const struct discovery *discovery);

/* The next scan is due within_ns after the last one at the latest, or as soon as its cost
 * permits. */
void discovery_scan_within(struct discovery *discovery, int64_t within_ns);
/* As after a change of the program: the next scans follow soon, then ever more seldom. */
void discovery_restart(struct discovery *discovery);
/* The next scan is due at that time at the latest, unless the last scan was later. */
void discovery_expect(struct discovery *discovery, int64_t due_ns);
/* `waiting`: further threads are expected, and a new one is noticed within some milliseconds. */
void discovery_expect_threads(struct discovery *discovery, bool waiting);
/* Makes a scan due if the program has changed. Cheap. */
void discovery_check(struct discovery *discovery, int64_t now_ns);

/* As descent_exclude. */
int discovery_exclude(struct discovery *discovery, pid_t pid) MUST_CHECK;

/* As descent_adopt; a look is due then. */
int discovery_adopt(struct discovery *discovery, pid_t pid) MUST_CHECK;

/* As descent_disown; the next scan tells that its threads have left. */
void discovery_disown(struct discovery *discovery, pid_t pid);

/* A file descriptor: poll it for input, then call discovery_hear(). -1 without a connector, and
 * until discovery_next_ns() if events are too many to wake for each. */
int discovery_fd(const struct discovery *discovery);
/* Reads the events of the connector, if that is due; makes a scan due earlier if they concern the
 * program. */
void discovery_hear(struct discovery *discovery, int64_t now_ns);

/* The look under way begins anew. */
void discovery_abandon(struct discovery *discovery);
bool discovery_is_looking(const struct discovery *discovery);

/* The check that failed first, or NULL. */
const char *discovery_fault(const struct discovery *discovery);

/* "proc connector" or "polling". */
const char *discovery_method(const struct discovery *discovery);

/* The threads that are known. The caller must not change them. */
const struct roster *discovery_roster(const struct discovery *discovery);

/* Threads seen in the last scan for which there was no room. */
int discovery_overflow(const struct discovery *discovery);

#endif
