/* SPDX-License-Identifier: BSD-3-Clause */
/* Records on a disk that is full, broken or read-only, at any call and for any time: each record
 * is complete and the last one written, or was removed. If that is not possible, it is reported. */
#include "tests/lib/chance.h"
#include "tests/lib/scratch.h"
#include "tests/lib/told.h"

#include "juggled/care/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { JOBS = 4, STEPS = 60 };

static struct store *store;
static int folder_fd;
static bool fails; /* a third of the calls fail */
static bool draft_is_stuck;
static int recorded[JOBS]; /* the number in each job's record; -1: there is no record */

/* ---- stand-ins for system calls ---- */

static bool is_to_fail(void)
{
    static const int failures[] = {ENOSPC, EIO, EROFS, EDQUOT, EMFILE};

    if (!fails || !one_in(3))
        return false;
    errno = failures[below(ARRAY_COUNT(failures))];
    return true;
}

int openat(int dir_fd, const char *path, int flags, ...)
{
    if (!(flags & O_CREAT))
        return (int)syscall(SYS_openat, dir_fd, path, flags);
    return is_to_fail() ? -1 : (int)syscall(SYS_openat, dir_fd, path, flags, 0600);
}

/* A disk that becomes full writes a part of the bytes first. */
ssize_t write(int fd, const void *bytes, size_t size)
{
    const size_t taken = fails && size ? (size_t)between(1, (int64_t)size) : size;

    return is_to_fail() ? -1 : syscall(SYS_write, fd, bytes, taken);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    return is_to_fail() ? -1 : (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, 0);
}

int unlinkat(int dir_fd, const char *path, int flags)
{
    const bool failing = is_to_fail();

    draft_is_stuck |= failing && !strcmp(path, "draft");
    return failing ? -1 : (int)syscall(SYS_unlinkat, dir_fd, path, flags);
}

/* ---- a life ---- */

static const char *name_of(int job)
{
    static const char *const names[JOBS] = {"0/a", "0/b", "1000/a", "1000/b-c"};

    return names[job];
}

/* Returns the number in the record as the next service reads it. */
static int record_said(const char *file, char name[STORE_JOB_SIZE])
{
    size_t length;
    char *text;

    ALWAYS(store_read(store, file, name, &text, &length) == 0);
    json_t *json = json_loadb(text, length, 0, NULL);
    ALWAYS(json);
    const int says = (int)json_integer_value(json_object_get(json, "says"));
    json_decref(json);
    free(text);
    return says;
}

static void expect_what_was_recorded(void)
{
    json_t *files;
    ALWAYS(store_files(store, &files) == 0);
    size_t left = json_array_size(files);
    char name[STORE_JOB_SIZE];
    const json_t *file;
    size_t i;

    json_array_foreach(files, i, file)
    {
        const int says = record_said(json_string_value(file), name);
        for (int job = 0; job < JOBS; job++)
            left -= !strcmp(name, name_of(job)) && says == recorded[job];
    }
    ALWAYS(left == 0);
    for (int job = 0; job < JOBS; job++)
        ALWAYS(store_has_record(store, name_of(job)) == (recorded[job] >= 0));
    json_decref(files);
}

static void record(int job, int says)
{
    json_t *json = json_pack("{s:i, s:s}", "says", says, "more", "that may not fit");
    const int error = store_record(store, name_of(job), json);

    ALWAYS(!error || fails);
    recorded[job] = error ? recorded[job] : says;
    draft_is_stuck &= error != 0;
    ALWAYS(draft_is_stuck || faccessat(folder_fd, "draft", F_OK, 0));
    json_decref(json);
}

static void forget(int job)
{
    const int before = told_count;

    store_forget(store, name_of(job));
    ALWAYS(fails || told_count == before);
    recorded[job] = told_count == before ? -1 : recorded[job];
}

static void keep_records(void)
{
    fails = draft_is_stuck = false;
    record(0, 0);
    for (int job = 0; job < JOBS; job++)
        forget(job);
    for (int step = 0; step < STEPS; step++) {
        const int job = (int)below(JOBS);
        fails ^= one_in(6);
        if (one_in(4))
            forget(job);
        else
            record(job, step);
        expect_what_was_recorded();
    }
}

START_TEST(a_record_is_the_last_that_was_written)
{
    char folder[80];

    scratch_folder(folder, sizeof(folder));
    folder_fd = open(folder, O_PATH);
    ck_assert_int_eq(store_open(folder, AT_FDCWD, &store), 0);
    live_with_seeds(100, keep_records);
    fails = false;
    record(0, STEPS);
    for (int job = 0; job < JOBS; job++)
        forget(job);
    store_close(store);
    close(folder_fd);
    ck_assert_int_eq(rmdir(folder), 0);
}

SUITE("store lives")
