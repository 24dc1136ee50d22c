/* SPDX-License-Identifier: BSD-3-Clause */
/* The traps of a job: where its threads were seen to spin, and are caught. */
#ifndef JUGGLE_JOB_SPIN_TRAPS_H
#define JUGGLE_JOB_SPIN_TRAPS_H

#include "libjuggle/linux/spin_trap.h"
#include "libjuggle/waiting/page.h"

#include <stdbool.h>
#include <stdint.h>

struct spin_traps {
    struct page *page;
    int proc_fd;
    struct spin_places places;    /* all that had traps: some may still be set */
    bool wanted[SPIN_PLACES_MAX]; /* which of them are to have traps */
};

/* No trap is wanted any more; a thread that comes to one takes it out. */
void spin_traps_clear(struct spin_traps *traps);
/* Asks for a trap. False if it is wanted already, if it cannot be set, and if there is no room. */
bool spin_traps_add(struct spin_traps *traps, const struct spin_place *place);

/* True if the thread's process has a place where a trap is wanted, and the thread handles our
 * signals and is not debugged. */
bool spin_traps_fit(const struct spin_traps *traps, const struct thread_id *id);

/* spin_traps_hold(): the wanted traps hold on for a while. spin_traps_lift(): no longer. */
void spin_traps_hold(struct spin_traps *traps, int64_t now_ns);
void spin_traps_lift(struct spin_traps *traps);
/* The number of a trap of the process that is wanted, and neither set nor refused; -1: none. */
int spin_traps_due(const struct spin_traps *traps, pid_t pid);

/* Takes the traps of a thread's process out if the thread is debugged: a debugger would stop at
 * their signals. */
void spin_traps_spare(struct spin_traps *traps, const struct thread_id *id);

#endif
