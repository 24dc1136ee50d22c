/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds every thread of a program and of all its descendants, across fork, exec and new sessions,
 * and tells of arrivals and exits.
 *
 * Descent alone counts, not depth, group or session: a process belongs once its parent does, and
 * keeps belonging when it is orphaned. /proc is polled, fast after a change and then slower; where
 * the proc connector is permitted it says at once when to look, unless it would never be silent. */
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
    int64_t look_ns; /* between looks at a quiet program; 0: as suits what is used */
};

struct discovery;

/* -ENOMEM. The arrays are copied. */
int discovery_create(const struct discovery_options *options,
                     struct discovery **discovery) MUST_CHECK;
void discovery_destroy(struct discovery *discovery);

/* Looks, in pieces, and tells the listener of each change as it is found. `now_ns` is
 * CLOCK_MONOTONIC. -EAGAIN: it is time, and the look has not ended; it is due again. -ESRCH:
 * attached, and nothing that we may see lives any more. Other failures, as -EMFILE, pass: look
 * again. A full roster is none: see discovery_overflow. */
int discovery_scan_until(struct discovery *discovery, int64_t now_ns, int64_t until_ns,
                         const struct roster_listener *listener) MUST_CHECK;

/* True when a scan is due, if nothing is heard or checked before; and when to ask again. */
bool discovery_due(const struct discovery *discovery, int64_t now_ns);
int64_t discovery_next_ns(const struct discovery *discovery);

/* The next scan is due within_ns after the last one at the latest, or as soon as it may be. */
void discovery_scan_within(struct discovery *discovery, int64_t within_ns);
/* As after a change of the program: the next ones follow soon, then ever more seldom. */
void discovery_restart(struct discovery *discovery);
/* There is to be one at that time at the latest, unless it is past. */
void discovery_expect(struct discovery *discovery, int64_t due_ns);
/* While threads are waited for: a new one is noticed within some milliseconds. */
void discovery_wait(struct discovery *discovery, bool waiting);
/* A scan is due if the program has changed. Cheap. */
void discovery_check(struct discovery *discovery, int64_t now_ns);

/* As descent_exclude. */
int discovery_exclude(struct discovery *discovery, pid_t pid) MUST_CHECK;

/* As descent_adopt; a look is due then. */
int discovery_adopt(struct discovery *discovery, pid_t pid) MUST_CHECK;

/* As descent_disown; the next scan tells that its threads have left. */
void discovery_disown(struct discovery *discovery, pid_t pid);

/* Poll it for input, then call discovery_hear; -1 without a connector, and until discovery_next_ns
 * where events are too many to wake for each. */
int discovery_fd(const struct discovery *discovery);
/* Takes what the connector said, if it is time for that; discovery_next_ns is earlier if it
 * concerned the program. */
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
