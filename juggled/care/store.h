/* SPDX-License-Identifier: BSD-3-Clause */
/* State that outlives juggled, below /run/juggle/state: for each job a record, and the table of
 * the masks that its threads are owed.
 *
 * Jobs write the tables as masks are set (libjuggle/linux/guardian.h). When the service is
 * killed, its guardian restores the masks from all tables. If the guardian is killed too, the
 * next service does it when it starts. */
#ifndef JUGGLE_JUGGLED_STORE_H
#define JUGGLE_JUGGLED_STORE_H

#include "libjuggle/ground/units.h"

#include <jansson.h>
#include <stdbool.h>

struct store;

/* Makes the directory if it does not exist, and waits for the guardian of a service that was
 * killed. Errors as trusted_directory; -EBUSY: another running service uses the directory, and
 * would lose its jobs; -ENOMEM. */
int store_open(const char *path, int proc_fd, struct store **store) MUST_CHECK;
void store_close(struct store *store);

/* The error in words. */
const char *store_problem(int error);

/* If the directory was removed, makes it anew, empty, and logs that. Errors as store_open. */
int store_renew(struct store *store) MUST_CHECK;

/* False if the file was removed: files of a job may vanish at any time, too. */
bool store_has_table(const struct store *store, const char *job);
bool store_has_record(const struct store *store, const char *job);

/* Makes a new, empty table of masks for the job; the caller closes it. Errors as store_renew;
 * fails also while a table of an earlier service cannot be read. */
int store_table(struct store *store, const char *job, int *fd) MUST_CHECK;

/* Replaces the job's record atomically. */
int store_record(struct store *store, const char *job, const json_t *record) MUST_CHECK;

void store_rename_table(struct store *store, const char *job, const char *other);
void store_forget_table(struct store *store, const char *job);
void store_forget(struct store *store, const char *job);

/* Restores all masks that are owed, and removes the tables unless one cannot be read, which is
 * logged. Returns the number of threads that got their masks. */
int store_restore(struct store *store);

/* Starts the guardian of all tables if there is none, or if it was killed. Errors as
 * guardian_start_for. */
int store_guard(struct store *store) MUST_CHECK;

/* Records whether the service is paused. If that cannot be written, it is logged once, and the
 * next call tries again. */
void store_pause(struct store *store, bool paused);
bool store_is_paused(const struct store *store);

/* ---- records at start: each stays until it is replaced, refused or forgotten ---- */

enum {
    STORE_JOB_SIZE = 64,
    STORE_REFUSED_MAX = 16, /* refused records that are kept */
};

/* The names of all record files, as an array of strings. -ENOMEM; others as trusted_list. */
int store_files(struct store *store, json_t **files) MUST_CHECK;

/* Reads a record: its text, which is allocated, and the job's name, which is derived from the
 * name of the file. Errors as trusted_read; -ENAMETOOLONG: it is no job's. */
int store_read(struct store *store, const char *file, char job[STORE_JOB_SIZE], char **text,
               size_t *length) MUST_CHECK;

/* Sets a record aside, for a person to look at, and logs why. */
void store_refuse(struct store *store, const char *file, const char *why);

#endif
