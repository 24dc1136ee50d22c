/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What outlives juggled, below /run/juggle/state: for each job a record of what it is, and the
 * table of the masks that its threads are owed.
 *
 * The tables are written by the guardian's side as masks are set (libjuggle/linux/guardian.h).
 * Whoever starts next first restores from all of them.
 */
#ifndef JUGGLE_SERVICE_STORE_H
#define JUGGLE_SERVICE_STORE_H

#include "libjuggle/policy/units.h"

#include <jansson.h>
#include <stdbool.h>

struct store;

/* Makes the directory if it is not there. As trusted_directory; -EBUSY: it is that of another
 * service that runs, which would be robbed of its jobs; -ENOMEM. */
int store_open(const char *path, struct store **store) MUST_CHECK;
void store_close(struct store *store);

/* In words. */
const char *store_problem(int error);

/* Makes the directory anew, empty, if it was removed, and tells the log. As store_open. */
int store_renew(struct store *store) MUST_CHECK;

/* False if somebody has removed it: the files of a job, too, may vanish at any time. */
bool store_has_table(const struct store *store, const char *job);
bool store_has_record(const struct store *store, const char *job);

/* A new, empty table of masks for the job; the caller closes it. As store_renew. */
int store_table(struct store *store, const char *job, int *fd) MUST_CHECK;

/* Replaces the job's record as a whole, or not at all. */
int store_record(struct store *store, const char *job, const json_t *record) MUST_CHECK;

void store_forget_table(struct store *store, const char *job);
void store_forget(struct store *store, const char *job);

/* Restores all masks that are owed, and forgets the tables. Returns how many threads got theirs. */
int store_restore(struct store *store, int proc_fd);

/* All records, as an array; those that are none are forgotten. NULL without memory. */
json_t *store_records(struct store *store);

#endif
