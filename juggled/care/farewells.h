/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of large programs that are balanced no more, while it is looked for threads of theirs that
 * were born with a pin: in pieces, each in its turn: while masks are still to be given with half a
 * processor, afterwards with a tenth. */
#ifndef JUGGLE_JUGGLED_FAREWELLS_H
#define JUGGLE_JUGGLED_FAREWELLS_H

#include "juggled/care/store.h"
#include "libjuggle/job/job.h"

struct farewells;

/* The store, which may be NULL, outlives it. -ENOMEM. */
int farewells_create(struct store *store, struct farewells **farewells) MUST_CHECK;
/* Ends all of them soon. NULL is allowed. */
void farewells_destroy(struct farewells *farewells);

/* Takes over a job for which job_stop_begin was false, and the table of this name. */
void farewells_take(struct farewells *farewells, const char *name, struct job *job);

/* Nobody else can balance the processes of a job meanwhile. */
int farewells_count(const struct farewells *farewells);

void farewells_poll(struct farewells *farewells, int64_t now_ns);
int64_t farewells_next_ns(const struct farewells *farewells);

#endif
