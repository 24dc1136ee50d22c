/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - the directory: opened, made anew when it is gone, closed
 * - tables and records of jobs: written, removed
 * - at start: masks that a killed service owed are given back (tables.h)
 * - the guardian, which gives them back as soon as the service is killed
 * - records: read, refused */
#include "juggled/care/store.h"

#include "juggled/care/tables.h"
#include "juggled/log.h"
#include "juggled/runtime.h"
#include "juggled/rules/trusted.h"
#include "cli/suffix.h"
#include "libjuggle/linux/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RECORD  ".json"
#define REFUSED ".refused"
#define PAUSED  "paused"

enum {
    NAME_SIZE = 96,
    RECORD_SIZE_MAX = 1 << 20,
    SERVICE_LOOKS_MAX = 100,   /* 1 s: a service that was killed may need this long to end */
    GUARDIAN_LOOKS_MAX = 3000, /* 30 s: a guardian that needs longer is not waited for */
};

#define LOOK_INTERVAL_NS (10 * NSEC_PER_MSEC)

struct store {
    char *path;
    int proc_fd;
    int dir_fd;
    bool lost;           /* it was removed, and making it anew failed */
    bool pause_is_wrong; /* the recorded pause is wrong, which has been logged */
    bool owes;           /* there are tables of an earlier service, and of no other */
    struct guardian *guardian;
};

/* A running service holds the lock exclusively. A guardian holds it shared, which the next
 * service may get, too, but not exclusively. */
static int directory_lock(int fd)
{
    const struct timespec interval = {.tv_nsec = LOOK_INTERVAL_NS};
    int others = 0;

    for (int looks = 0; flock(fd, LOCK_EX | LOCK_NB); looks++) {
        if (errno != EWOULDBLOCK)
            return -errno;
        if (flock(fd, LOCK_SH | LOCK_NB))
            others++;
        else if (looks >= GUARDIAN_LOOKS_MAX)
            return 0;
        if (others == SERVICE_LOOKS_MAX)
            return -EBUSY;
        flock(fd, LOCK_UN); /* two waiting services would block each other with shared locks */
        nanosleep(&interval, NULL);
    }
    return 0;
}

static int directory_open(const char *path, int *fd)
{
    int opened;

    int error = runtime_make(path);
    if (!error && mkdir(path, 0700) && errno != EEXIST)
        error = -errno;
    if (!error)
        error = trusted_directory(path, &opened);
    if (error)
        return error;
    /* The lock lasts until this process and its guardian have ended, however they end. */
    error = directory_lock(opened);
    if (error)
        close(opened);
    else
        *fd = opened;
    return error;
}

int store_open(const char *path, int proc_fd, struct store **result)
{
    struct store *store = calloc(1, sizeof(*store));

    if (!store)
        return -ENOMEM;
    store->proc_fd = proc_fd;
    store->path = strdup(path);
    int error = store->path ? directory_open(path, &store->dir_fd) : -ENOMEM;
    if (error) {
        free(store->path);
        free(store);
        return error;
    }
    *result = store;
    return 0;
}

const char *store_problem(int error)
{
    return error == -EBUSY ? "another juggled does" : trusted_problem(error);
}

/* True if the opened directory still has the name. */
static bool is_there(const struct store *store)
{
    struct stat opened, named;

    return fstat(store->dir_fd, &opened) == 0 && lstat(store->path, &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

int store_renew(struct store *store)
{
    int fd;

    if (is_there(store))
        return 0;
    int error = directory_open(store->path, &fd);
    if (error) {
        if (!store->lost)
            log_tell(LOG_ERR, NULL, "cannot keep state in %s, which was removed: %s", store->path,
                     store_problem(error));
        store->lost = true;
        return error;
    }
    guardian_stop(store->guardian);
    store->guardian = NULL;
    close(store->dir_fd);
    store->dir_fd = fd;
    store->lost = false;
    log_tell(LOG_NOTICE, NULL, "%s was gone, and is made anew", store->path);
    return 0;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    guardian_stop(store->guardian);
    close(store->dir_fd);
    free(store->path);
    free(store);
}

/* The file name of a job: a job is UID/NAME, and "/" becomes "-". */
static const char *file_name(const char *job, const char *suffix, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%s%s", job, suffix);
    for (char *slash = strchr(name, '/'); slash; slash = strchr(slash, '/'))
        *slash = '-';
    return name;
}

static int owed_restore(struct store *store, int *restored)
{
    const int error = tables_restore(store->dir_fd, store->proc_fd, restored);

    store->owes = error;
    if (!error)
        tables_forget(store->dir_fd);
    return error;
}

int store_table(struct store *store, const char *job, int *fd)
{
    char name[NAME_SIZE];
    int restored;
    int error = store_renew(store);

    /* The new table could replace one that is owed. */
    if (!error && store->owes)
        error = owed_restore(store, &restored);
    if (error)
        return error;
    unlinkat(store->dir_fd, file_name(job, TABLES_SUFFIX, name), 0);
    int opened = openat(store->dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                        0600);
    if (opened < 0)
        return -errno;
    *fd = opened;
    return 0;
}

static int write_all(int fd, const char *text, size_t size)
{
    while (size) {
        const ssize_t written = write(fd, text, size);
        if (written < 0)
            return -errno;
        text += written;
        size -= (size_t)written;
    }
    return 0;
}

int store_record(struct store *store, const char *job, const json_t *record)
{
    static const char draft[] = "draft";
    char name[NAME_SIZE];
    char *text = json_dumps(record, JSON_COMPACT);

    if (!text)
        return -ENOMEM;
    int fd = openat(store->dir_fd, draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                    0600);
    int error = fd < 0 ? -errno : write_all(fd, text, strlen(text));
    free(text);
    if (fd >= 0 && close(fd) && !error)
        error = -errno;
    if (!error && renameat(store->dir_fd, draft, store->dir_fd, file_name(job, RECORD, name)))
        error = -errno;
    /* On a full disk, removing the draft frees its blocks. */
    if (error && fd >= 0)
        unlinkat(store->dir_fd, draft, 0);
    return error;
}

static bool has(const struct store *store, const char *job, const char *suffix)
{
    char name[NAME_SIZE];

    return faccessat(store->dir_fd, file_name(job, suffix, name), F_OK, 0) == 0 || errno != ENOENT;
}

bool store_has_table(const struct store *store, const char *job)
{
    return has(store, job, TABLES_SUFFIX);
}

bool store_has_record(const struct store *store, const char *job)
{
    return has(store, job, RECORD);
}

void store_forget_table(struct store *store, const char *job)
{
    char name[NAME_SIZE];

    if (!store->owes)
        unlinkat(store->dir_fd, file_name(job, TABLES_SUFFIX, name), 0);
}

/* Processes that have the file open keep it. The next service restores from tables of any name. */
void store_rename_table(struct store *store, const char *job, const char *other)
{
    char from[NAME_SIZE], to[NAME_SIZE];

    (void)!renameat(store->dir_fd, file_name(job, TABLES_SUFFIX, from), store->dir_fd,
                    file_name(other, TABLES_SUFFIX, to));
}

void store_forget(struct store *store, const char *job)
{
    char name[NAME_SIZE];

    store_forget_table(store, job);
    const int error = unlinkat(store->dir_fd, file_name(job, RECORD, name), 0) ? errno : 0;
    /* If the directory is not writable, unlinkat may fail even for a record that does not exist. */
    if (error && store_has_record(store, job))
        log_tell(LOG_WARNING, job,
                 "its record cannot be removed, and the next service reads it: %s",
                 strerror(error));
}

static int pause_write(const struct store *store, bool paused)
{
    if (!paused)
        return unlinkat(store->dir_fd, PAUSED, 0) ? -errno : 0;
    const int fd = openat(store->dir_fd, PAUSED, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

void store_pause(struct store *store, bool paused)
{
    const int error = store_is_paused(store) == paused ? 0 : pause_write(store, paused);

    if (error && !store->pause_is_wrong)
        log_tell(LOG_WARNING, NULL,
                 "cannot record that the service is %s; a restart will forget it: %s",
                 paused ? "paused" : "no longer paused", strerror(-error));
    store->pause_is_wrong = error;
}

bool store_is_paused(const struct store *store)
{
    return faccessat(store->dir_fd, PAUSED, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- at start ---- */

/* If the service is killed meanwhile, or can never read the tables, they are left to the next
 * service. */
int store_restore(struct store *store)
{
    int restored;
    const int error = owed_restore(store, &restored);

    if (error)
        log_tell(LOG_WARNING, NULL,
                 "masks that a service before owed cannot be read: nothing is balanced until they "
                 "can be, by this service or the next: %s",
                 strerror(-error));
    return restored;
}

/* ---- the guardian ---- */

/* The guardian's duty. It takes the lock that the next service waits for. */
static void restore_for_service(void *context)
{
    struct store *store = context;
    int restored;

    (void)!flock(store->dir_fd, LOCK_SH);
    (void)!tables_restore(store->dir_fd, store->proc_fd, &restored);
}

int store_guard(struct store *store)
{
    const struct guardian_duty duty = {restore_for_service, store, store->dir_fd};
    bool renewed;

    if (!store->guardian)
        return guardian_start_for(&duty, store->proc_fd, &store->guardian);
    const int error = guardian_renew(store->guardian, &renewed);
    if (!error && renewed)
        log_tell(LOG_WARNING, NULL, "the guardian was killed: another one was started");
    return error;
}

/* ---- records ---- */

struct visit {
    struct store *store;
    int refused;
    json_t *files;
};

static int collect(void *context, const char *name)
{
    struct visit *visit = context;

    if (!has_suffix(name, RECORD))
        return 0;
    /* The file may have any name. One that is no UTF-8 is none of a job. */
    json_t *file = json_string(name);
    if (file)
        json_array_append_new(visit->files, file);
    else
        store_refuse(visit->store, name, "its name is no text");
    return 0;
}

/* The directory is read first, because records are written and renamed while they are resumed. */
int store_files(struct store *store, json_t **files)
{
    struct visit visit = {.store = store, .files = json_array()};
    const int error = visit.files ? trusted_list(store->dir_fd, ".", collect, &visit) : -ENOMEM;

    if (error)
        json_decref(visit.files);
    else
        *files = visit.files;
    return error;
}

int store_read(struct store *store, const char *file, char job[STORE_JOB_SIZE], char **text,
               size_t *length)
{
    const int size = (int)(strlen(file) - strlen(RECORD));

    if (size >= STORE_JOB_SIZE)
        return -ENAMETOOLONG;
    snprintf(job, STORE_JOB_SIZE, "%.*s", size, file);
    char *dash = strchr(job, '-');
    if (dash)
        *dash = '/';
    return trusted_read(store->dir_fd, file, RECORD_SIZE_MAX, text, length);
}

static int count_refused(void *context, const char *name)
{
    struct visit *visit = context;

    visit->refused += has_suffix(name, REFUSED);
    return 0;
}

/* Renames the file. If several records of one name are refused, the last one is kept. */
static bool set_aside(struct store *store, const char *file)
{
    struct visit visit = {.store = store};
    char name[NAME_MAX + 1];
    const int length = snprintf(name, sizeof(name), "%s%s", file, REFUSED);

    (void)!trusted_list(store->dir_fd, ".", count_refused, &visit);
    return length < (int)sizeof(name) && visit.refused < STORE_REFUSED_MAX &&
           renameat(store->dir_fd, file, store->dir_fd, name) == 0;
}

void store_refuse(struct store *store, const char *file, const char *why)
{
    const char *where = set_aside(store, file)             ? "it is kept as FILE" REFUSED
                        : unlinkat(store->dir_fd, file, 0) ? "it cannot be removed"
                                                           : "it is removed";

    log_tell(LOG_WARNING, NULL, "the record %s is ignored: %s; %s", file, why, where);
}
