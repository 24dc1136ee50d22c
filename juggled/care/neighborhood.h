/* SPDX-License-Identifier: BSD-3-Clause */
/* Where jobs in charge live: with each other. It is filled in by who keeps them. */
#ifndef JUGGLE_JUGGLED_NEIGHBORHOOD_H
#define JUGGLE_JUGGLED_NEIGHBORHOOD_H

#include "juggled/care/entries.h"
#include "juggled/care/farewells.h"
#include "juggled/care/processes.h"
#include "libjuggle/job/job.h"

struct neighborhood {
    int proc_fd;
    struct store *store;         /* NULL: nothing outlives the service */
    struct farewells *farewells; /* of those that were there */
    struct entries charges;
    struct job_crowd crowd; /* of all of them */
    bool paused;            /* nothing is balanced for now */
};

/* What a resting job comes back for when it is another one: its threads, and how many jobs there
 * are. */
long neighborhood_company(const struct neighborhood *neighborhood,
                          const struct processes *processes);

#endif
