/* SPDX-License-Identifier: BSD-3-Clause */
/* Ledgers in files: rank 0 reads and writes them for all. */
#include "libjuggle/steal/runtime/reservation.h"
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/recall.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int file_check(struct steal_collection *collection)
{
    if (!record_wanted(&collection->properties))
        return runtime_fail(collection->runtime, -EINVAL,
                            "the collection was created without retain");
    if (!collection->properties.key)
        return runtime_fail(collection->runtime, -EINVAL,
                            "the collection was created without a key");
    return 0;
}

/* ---- saving -------------------------------------------------------------------------------- */

struct saving {
    struct steal_runtime *runtime;
    const char *path;
    char *temporary; /* beside the file, which it becomes when it is complete */
    int fd;
    struct archive archive;
};

static int saving_fail(struct saving *saving, int error)
{
    return runtime_fail(saving->runtime, -error, "%s: %s", saving->path, strerror(error));
}

/* A device or a pipe must not give way to a file. */
static bool is_special(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static int saving_open(struct saving *saving)
{
    if (is_special(saving->path))
        return runtime_fail(saving->runtime, -EINVAL, "%s is no file", saving->path);
    if (asprintf(&saving->temporary, "%s.XXXXXXnew", saving->path) < 0) {
        saving->temporary = NULL;
        return saving_fail(saving, ENOMEM);
    }
    saving->fd = mkstemps(saving->temporary, sizeof("new") - 1);
    if (saving->fd < 0)
        return saving_fail(saving, errno);
    fchmod(saving->fd, 0644);
    if (lseek(saving->fd, ARCHIVE_HEADER_SIZE, SEEK_SET) < 0)
        return saving_fail(saving, errno);
    return 0;
}

static int write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, bytes, size);

        if (written < 0 && errno != EINTR)
            return -errno;
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* The entries of one rank, as bytes. */
static int saving_take(void *context, int rank, const void *data, size_t size)
{
    struct saving *saving = context;
    int result;

    (void)rank;
    result = write_all(saving->fd, data, size);
    if (result < 0)
        return saving_fail(saving, -result);
    archive_add(&saving->archive, data, size / ARCHIVE_ENTRY_SIZE);
    return 0;
}

/* The file is there as a whole, or as it was before. */
static int saving_finish(struct saving *saving, const char *name)
{
    unsigned char header[ARCHIVE_HEADER_SIZE];

    archive_header_put(&saving->archive, name, header);
    if (pwrite(saving->fd, header, sizeof(header), 0) != sizeof(header) || fsync(saving->fd) < 0 ||
        rename(saving->temporary, saving->path) < 0)
        return saving_fail(saving, errno);
    return 0;
}

static void saving_close(struct saving *saving, int result)
{
    if (saving->fd >= 0) {
        close(saving->fd);
        if (result < 0 && saving->temporary)
            unlink(saving->temporary);
    }
    free(saving->temporary);
}

/* What this rank knows, as bytes: to be freed. */
static int saving_gather(struct steal_collection *collection, unsigned char **out, size_t *size)
{
    struct archive_entry *known = NULL;
    size_t count = 0;
    unsigned char *bytes;
    int result = recall_gather(collection, &known, &count);

    if (result < 0)
        return result;
    bytes = malloc(count * ARCHIVE_ENTRY_SIZE + 1);
    if (!bytes) {
        free(known);
        return runtime_fail(collection->runtime, -ENOMEM, "no memory to save %zu tasks", count);
    }
    for (size_t i = 0; i < count; i++)
        archive_entry_put(&known[i], bytes + i * ARCHIVE_ENTRY_SIZE);
    free(known);
    *out = bytes;
    *size = count * ARCHIVE_ENTRY_SIZE;
    return 0;
}

static int save_check(struct steal_collection *collection)
{
    int result = file_check(collection);

    if (result == 0 && !collection->recorded)
        return runtime_fail(collection->runtime, -EBUSY,
                            "nothing was processed since tasks were balanced or recalled");
    return result;
}

int steal_ledger_save(struct steal_collection *collection, const char *path)
{
    struct steal_runtime *runtime = collection ? collection->runtime : NULL;
    struct saving saving = {.runtime = runtime, .path = path, .fd = -1};
    unsigned char *bytes = NULL;
    size_t size = 0;
    int result;

    if (!collection)
        return -EINVAL;
    struct transport *transport = runtime->transport;
    saving.archive.ranks = (uint32_t)transport->ranks;
    result = ranks_meet(runtime, CALL_LEDGER_SAVE, collection->id,
                        runtime_need(runtime, path, "path"));
    if (result < 0)
        return result;
    result = save_check(collection);
    if (result == 0)
        result = saving_gather(collection, &bytes, &size);
    if (result == 0 && transport->rank == 0)
        result = saving_open(&saving);
    result = ranks_share(runtime, result, path);
    if (result == 0)
        result = transport->ops->collect(transport, bytes, size, saving_take, &saving);
    if (result == 0 && transport->rank == 0)
        result = saving_finish(&saving, collection_name(collection));
    saving_close(&saving, result);
    free(bytes);
    return ranks_share(runtime, result, path);
}

/* ---- loading ------------------------------------------------------------------------------- */

static int file_read(int fd, unsigned char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t got = read(fd, bytes, size);

        if (got == 0)
            return -EIO;
        if (got < 0 && errno != EINTR)
            return -errno;
        bytes += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* The whole file: to be freed. */
static int file_load(const char *path, unsigned char **out, size_t *size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char *bytes = NULL;
    struct stat status;
    int result = 0;

    if (fd < 0 || fstat(fd, &status) < 0)
        result = -errno;
    else if (!S_ISREG(status.st_mode))
        result = -EISDIR;
    if (result == 0 && !(bytes = malloc((size_t)status.st_size + 1)))
        result = -ENOMEM;
    if (result == 0)
        result = file_read(fd, bytes, (size_t)status.st_size);
    if (fd >= 0)
        close(fd);
    if (result < 0) {
        free(bytes);
        return result;
    }
    *out = bytes;
    *size = (size_t)status.st_size;
    return 0;
}

/* The entries of a file that is what it should be: to be freed. */
static int load_known(struct steal_collection *collection, const char *path,
                      struct archive_entry **out, size_t *count)
{
    struct steal_runtime *runtime = collection->runtime;
    struct archive_entry *known;
    struct archive archive;
    unsigned char *file;
    const char *wrong;
    size_t size;
    int result = file_load(path, &file, &size);

    if (result < 0)
        return runtime_fail(runtime, result, "%s: %s", path, strerror(-result));
    wrong = archive_check(file, size, collection_name(collection), &archive);
    known = wrong ? NULL : malloc((archive.entries + 1) * sizeof(*known));
    for (uint64_t i = 0; known && i < archive.entries; i++)
        archive_entry_get(file + ARCHIVE_HEADER_SIZE + i * ARCHIVE_ENTRY_SIZE, &known[i]);
    free(file);
    if (wrong)
        return runtime_fail(runtime, -EBADMSG, "%s %s", path, wrong);
    if (!known)
        return runtime_fail(runtime, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
    *out = known;
    *count = archive.entries;
    return 0;
}

int steal_ledger_load(struct steal_collection *collection, const char *path)
{
    struct steal_runtime *runtime;
    struct archive_entry *known = NULL;
    size_t count = 0;
    int result;

    if (!collection)
        return -EINVAL;
    runtime = collection->runtime;
    result = runtime_need(runtime, path, "path");
    if (result == 0)
        result = reservation_check(collection);
    result = ranks_meet(runtime, CALL_LEDGER_LOAD, collection->id, result);
    if (result < 0)
        return result;
    result = file_check(collection);
    if (result == 0 && steal_rank(runtime) == 0)
        result = load_known(collection, path, &known, &count);
    result = ranks_share(runtime, result, path);
    if (result == 0)
        result = recall_exchange(collection, known, count);
    free(known);
    return result;
}
