/* SPDX-License-Identifier: BSD-3-Clause */
/* Ledgers in files: rank 0 reads and writes them for all. */
#include "libjuggle/steal/runtime/reservation.h"
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/replacement_file.h"
#include "libjuggle/steal/runtime/pausing.h"
#include "libjuggle/steal/runtime/recall.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file_check(struct steal_collection *collection)
{
    if (pausing_check(collection) < 0)
        return -EBUSY;
    if (!record_wanted(&collection->properties))
        return runtime_fail(collection->runtime, -EINVAL,
                            "the collection was created without retain");
    if (!collection->properties.key)
        return runtime_fail(collection->runtime, -EINVAL,
                            "the collection was created without a key");
    return 0;
}

/* ---- saving -------------------------------------------------------------------------------- */

struct ledger_saving {
    struct steal_runtime *runtime;
    const char *path;
    struct replacement_file file;
    off_t end; /* where the next entry is written */
    struct archive archive;
};

static int saving_fail(struct ledger_saving *saving, int result)
{
    return result < 0 ? runtime_fail_path(saving->runtime, result, saving->path) : 0;
}

/* Only a ledger, or an empty file, is replaced by a ledger: the path may be a mistake. */
static int check_replaced(struct steal_runtime *runtime, const char *path)
{
    unsigned char header[ARCHIVE_HEADER_SIZE];
    off_t size = 0;
    const int fd = file_open_read(path, &size);
    int result;

    if (fd < 0)
        return fd == -ENOENT ? 0 : runtime_fail_path(runtime, fd, path);
    size = min_i64(size, sizeof(header));
    result = file_read_at(fd, 0, header, (size_t)size);
    close(fd);
    if (result < 0)
        return runtime_fail_path(runtime, result, path);
    if (size > 0 && !archive_begins(header, (size_t)size))
        return runtime_fail(runtime, -EBADMSG,
                            "%s is not a ledger of tasks, and is not replaced by one: remove it, "
                            "or name another file",
                            path);
    return 0;
}

static int saving_open(struct ledger_saving *saving)
{
    const int result = check_replaced(saving->runtime, saving->path);

    saving->end = ARCHIVE_HEADER_SIZE;
    return result ? result
                  : saving_fail(saving, replacement_file_open(&saving->file, saving->path));
}

/* Writes entries of one rank. */
static int saving_take(void *context, int rank, const void *entries, size_t count)
{
    struct ledger_saving *saving = context;
    const size_t size = count * ARCHIVE_ENTRY_SIZE;
    int result;

    (void)rank;
    result = file_write_at(saving->file.fd, saving->end, entries, size);
    if (result < 0)
        return saving_fail(saving, result);
    saving->end += (off_t)size;
    archive_add(&saving->archive, entries, count);
    return 0;
}

static int saving_finish(struct ledger_saving *saving, const char *name)
{
    unsigned char header[ARCHIVE_HEADER_SIZE];
    int result;

    archive_header_put(&saving->archive, name, header);
    result = file_write_at(saving->file.fd, 0, header, sizeof(header));
    if (result == 0)
        result = replacement_file_commit(&saving->file);
    return saving_fail(saving, result);
}

/* Sets `out` to what this rank knows, as bytes of the file; the caller frees it. */
static int saving_gather(struct steal_collection *collection, unsigned char **out, size_t *entries)
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
    *entries = count;
    return 0;
}

static int save_check(struct steal_collection *collection)
{
    int result = file_check(collection);

    if (result == 0 && !collection->recorded)
        return runtime_fail(
            collection->runtime, -EBUSY,
            "no steal_process() has ended since the last steal_rebalance() or steal_ledger_load()");
    return result;
}

int steal_ledger_save(struct steal_collection *collection, const char *path)
{
    struct steal_runtime *runtime = collection ? collection->runtime : NULL;
    struct ledger_saving saving = {.runtime = runtime, .path = path, .file = {.fd = -1}};
    unsigned char *entries = NULL;
    size_t count = 0;
    int result;

    if (!collection)
        return -EINVAL;
    const bool first = steal_rank(runtime) == 0;
    saving.archive.ranks = (uint32_t)steal_ranks(runtime);
    result = ranks_meet(runtime, CALL_LEDGER_SAVE, collection->id,
                        runtime_need_path(runtime, path, "path"));
    if (result < 0)
        return result;
    result = save_check(collection);
    if (result == 0)
        result = saving_gather(collection, &entries, &count);
    if (result == 0 && first)
        result = saving_open(&saving);
    result = ranks_share_failure(runtime, result);
    if (result == 0)
        result = ranks_collect(runtime, entries, count, ARCHIVE_ENTRY_SIZE, saving_take, &saving);
    if (result == 0 && first)
        result = saving_finish(&saving, collection_name(collection));
    replacement_file_close(&saving.file);
    free(entries);
    return ranks_share_failure(runtime, result);
}

/* ---- loading ------------------------------------------------------------------------------- */

/* Reads the whole file; the caller frees it. */
static int file_load(const char *path, unsigned char **out, size_t *size)
{
    off_t length = 0;
    const int fd = file_open_read(path, &length);
    unsigned char *bytes;
    int result;

    if (fd < 0)
        return fd;
    bytes = malloc((size_t)length + 1);
    result = bytes ? file_read_at(fd, 0, bytes, (size_t)length) : -ENOMEM;
    close(fd);
    if (result < 0) {
        free(bytes);
        return result;
    }
    *out = bytes;
    *size = (size_t)length;
    return 0;
}

/* Reads the file, checks it and sets `out` to its entries; the caller frees them. */
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
        return runtime_fail_path(runtime, result, path);
    wrong = archive_check(file, size, collection_name(collection), &archive);
    known = wrong ? NULL : malloc((archive.entries + 1) * sizeof(*known));
    for (uint64_t i = 0; known && i < archive.entries; i++)
        archive_entry_get(file + ARCHIVE_HEADER_SIZE + i * ARCHIVE_ENTRY_SIZE, &known[i]);
    free(file);
    if (wrong)
        return runtime_fail(runtime, -EBADMSG, "%s %s", path, wrong);
    if (!known)
        return runtime_fail_path(runtime, -ENOMEM, path);
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
    result = runtime_need_path(runtime, path, "path");
    if (result == 0)
        result = reservation_check(collection);
    result = ranks_meet(runtime, CALL_LEDGER_LOAD, collection->id, result);
    if (result < 0)
        return result;
    result = file_check(collection);
    if (result == 0 && steal_rank(runtime) == 0)
        result = load_known(collection, path, &known, &count);
    result = ranks_share_failure(runtime, result);
    if (result == 0)
        result = recall_exchange(collection, known, count);
    free(known);
    return result;
}
