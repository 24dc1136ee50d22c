/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/service/store.h"

#include "juggle/service/log.h"
#include "juggle/service/runtime.h"
#include "juggle/service/trusted.h"
#include "libjuggle/linux/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE  ".masks"
#define RECORD ".json"

enum {
    NAME_SIZE = 96,
    RECORD_SIZE_MAX = 1 << 20,
};

struct store {
    char *path;
    int dir_fd;
    bool lost; /* it was removed, and could not be made anew */
};

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
    /* Until the end of this process, in whatever way that comes: children of it close the file. */
    if (flock(opened, LOCK_EX | LOCK_NB)) {
        error = errno == EWOULDBLOCK ? -EBUSY : -errno;
        close(opened);
        return error;
    }
    *fd = opened;
    return 0;
}

int store_open(const char *path, struct store **result)
{
    struct store *store = calloc(1, sizeof(*store));

    if (!store)
        return -ENOMEM;
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
    return error == -EBUSY ? "another juggled does" : strerror(-error);
}

/* True if what was opened is what has the name. */
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
    close(store->dir_fd);
    free(store->path);
    free(store);
}

/* A job is UID/NAME. */
static const char *file_name(const char *job, const char *suffix, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%s%s", job, suffix);
    for (char *slash = strchr(name, '/'); slash; slash = strchr(slash, '/'))
        *slash = '-';
    return name;
}

int store_table(struct store *store, const char *job, int *fd)
{
    char name[NAME_SIZE];
    int error = store_renew(store);

    if (error)
        return error;
    unlinkat(store->dir_fd, file_name(job, TABLE, name), 0);
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
    /* A full disk has room again when what did not fit is gone. */
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
    return has(store, job, TABLE);
}

bool store_has_record(const struct store *store, const char *job)
{
    return has(store, job, RECORD);
}

void store_forget_table(struct store *store, const char *job)
{
    char name[NAME_SIZE];

    unlinkat(store->dir_fd, file_name(job, TABLE, name), 0);
}

void store_forget(struct store *store, const char *job)
{
    char name[NAME_SIZE];

    store_forget_table(store, job);
    unlinkat(store->dir_fd, file_name(job, RECORD, name), 0);
}

/* ---- at start ---- */

struct visit {
    struct store *store;
    int proc_fd;
    int restored;
    json_t *records;
};

static bool ends_with(const char *name, const char *suffix)
{
    const size_t length = strlen(name);

    return length > strlen(suffix) && !strcmp(name + length - strlen(suffix), suffix);
}

static int restore_table(void *context, const char *name)
{
    struct visit *visit = context;

    if (!ends_with(name, TABLE))
        return 0;
    int fd = openat(visit->store->dir_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0) {
        visit->restored += guardian_restore(visit->proc_fd, fd);
        close(fd);
    }
    unlinkat(visit->store->dir_fd, name, 0);
    return 0;
}

int store_restore(struct store *store, int proc_fd)
{
    struct visit visit = {.store = store, .proc_fd = proc_fd};

    /* A directory that cannot be listed owes nothing to anybody. */
    (void)!trusted_list(store->dir_fd, ".", restore_table, &visit);
    return visit.restored;
}

static int read_record(void *context, const char *name)
{
    struct visit *visit = context;
    char *text;
    size_t length;

    if (!ends_with(name, RECORD))
        return 0;
    if (trusted_read(visit->store->dir_fd, name, RECORD_SIZE_MAX, &text, &length) == 0) {
        json_array_append_new(visit->records, json_loadb(text, length, 0, NULL));
        free(text);
    }
    unlinkat(visit->store->dir_fd, name, 0);
    return 0;
}

json_t *store_records(struct store *store)
{
    struct visit visit = {.store = store, .records = json_array()};

    (void)!trusted_list(store->dir_fd, ".", read_record, &visit);
    return visit.records;
}
