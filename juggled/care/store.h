/* SPDX-License-Identifier: BSD-3-Clause */
/* What outlives juggled, below /run/juggle/state: for each job a record of what it is, and the
 * table of the masks that its threads are owed.
 *
 * Jobs write the tables as masks are set (libjuggle/linux/guardian.h). When the service is killed
 * its guardian restores from all of them; if that is killed, too, whoever starts next does it
 * first. */
#ifndef JUGGLE_JUGGLED_STORE_H
#define JUGGLE_JUGGLED_STORE_H

#include "libjuggle/ground/units.h"

#include <jansson.h>
#include <stdbool.h>

struct store;

/* Makes the directory if it is not there, and waits for the guardian of a service that was killed.
 * As trusted_directory; -EBUSY: it is that of another service that runs, which would be robbed of
 * its jobs; -ENOMEM. */
int store_open(const char *path, int proc_fd, struct store **store) MUST_CHECK;
void store_close(struct store *store);

/* In words. */
const char *store_problem(int error);

/* Makes the directory anew, empty, if it was removed, and tells the log. As store_open. */
int store_renew(struct store *store) MUST_CHECK;

/* False if somebody has removed it: the files of a job, too, may vanish at any time. */
bool store_has_table(const struct store *store, const char *job);
bool store_has_record(const struct store *store, const char *job);

/* A new, empty table of masks for the job; the caller closes it. As store_renew; fails, too, while
 * a table of an earlier service cannot be read. */
int store_table(struct store *store, const char *job, int *fd) MUST_CHECK;

/* Replaces the job's record as a whole, or not at all. */
int store_record(struct store *store, const char *job, const json_t *record) MUST_CHECK;

void store_rename_table(struct store *store, const char *job, const char *other);
void store_forget_table(struct store *store, const char *job);
void store_forget(struct store *store, const char *job);

/* Restores all masks that are owed, and forgets the tables, unless one cannot be read, which the
 * log is told. Returns how many threads got theirs. */
int store_restore(struct store *store);

/* Starts the guardian of all tables if there is none, or not any more. As guardian_start_for. */
int store_guard(struct store *store) MUST_CHECK;

/* Whether nothing is balanced for now. That it cannot be written is told once, and the next call
 * tries again. */
void store_pause(struct store *store, bool paused);
bool store_is_paused(const struct store *store);

/* ---- records at start: each stays until it is replaced, refused or forgotten ---- */

enum {
    STORE_JOB_SIZE = 64,
    STORE_REFUSED_MAX = 16, /* files that are kept */
};

/* The files of all records, as an array of texts. -ENOMEM; as trusted_list. */
int store_files(struct store *store, json_t **files) MUST_CHECK;

/* The text of a record, which is allocated, and whose it is by the name of its file. As
 * trusted_read; -ENAMETOOLONG: nobody's. */
int store_read(struct store *store, const char *file, char job[STORE_JOB_SIZE], char **text,
               size_t *length) MUST_CHECK;

/* Sets a record aside, for a person to look at, and tells the log what is wrong in it. */
void store_refuse(struct store *store, const char *file, const char *what);

#endif
