/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of large programs whose balancing has ended, and whose threads are still looked for,
 * because a thread may have been born with the mask of a moved thread. That is done in pieces,
 * one job after the other. It takes half of a processor while known threads have not got their
 * masks back, then a tenth. */
#ifndef JUGGLE_JUGGLED_RELEASES_H
#define JUGGLE_JUGGLED_RELEASES_H

#include "juggled/care/store.h"
#include "libjuggle/job/job.h"

struct releases;

/* The store may be NULL; it must outlive the releases. -ENOMEM. */
int releases_create(struct store *store, struct releases **releases) MUST_CHECK;
/* Ends all of them, after at most 2 s of further pieces. NULL is allowed. */
void releases_destroy(struct releases *releases);

/* Takes over a job for which job_stop_begin returned false, and the store's table of this name. */
void releases_take(struct releases *releases, const char *name, struct job *job);

/* Number of jobs. Their processes cannot be balanced by another job until they are done. */
int releases_count(const struct releases *releases);

void releases_poll(struct releases *releases, int64_t now_ns);
int64_t releases_next_ns(const struct releases *releases);

#endif
