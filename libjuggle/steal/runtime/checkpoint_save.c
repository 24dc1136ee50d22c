/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/checkpoint.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/replacement_file.h"
#include "libjuggle/steal/runtime/delivery.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER = 1 << 20,
    LAST_SHARE = 20, /* a save after a process is done takes at most 1 / LAST_SHARE of the time */
};

struct saving {
    struct steal_collection *collection;
    const struct checkpoint *checkpoint;
    struct replacement_file file;
    struct snapshot snapshot;
    int64_t begin[PART_COUNT]; /* index of this rank's first record in the whole part */
    uint64_t own[PART_COUNT];  /* number of this rank's records */
    /* The part that is being written. */
    enum snapshot_part part;
    size_t record_size;
    uint64_t next;         /* index of the first record that is not written yet */
    unsigned char *buffer; /* records from `next` on */
    size_t used;
};

static int saving_fail(struct saving *saving, int result)
{
    return runtime_fail_path(saving->collection->runtime, result, saving->checkpoint->path);
}

/* ---- this rank's records ------------------------------------------------------------------- */

static int saving_flush(struct saving *saving)
{
    const uint64_t count = saving->used / saving->record_size;
    const uint64_t at = snapshot_offset(&saving->snapshot, saving->part, saving->next);
    const int result = file_write_at(saving->file.fd, (off_t)at, saving->buffer, saving->used);

    saving->snapshot.sum += snapshot_sum(&saving->snapshot, saving->part, saving->next,
                                         saving->buffer, count);
    saving->next += count;
    saving->used = 0;
    return result;
}

/* Takes records into the buffer. Records that do not fit into an empty buffer are written
 * directly. */
static int saving_take(void *context, const unsigned char *records, uint64_t count)
{
    struct saving *saving = context;
    const size_t size = (size_t)count * saving->record_size;
    unsigned char *const buffer = saving->buffer;
    int result = 0;

    if (saving->used + size > BUFFER)
        result = saving_flush(saving);
    if (result < 0)
        return result;
    if (size <= BUFFER) {
        memcpy(buffer + saving->used, records, size);
        saving->used += size;
        return 0;
    }
    saving->buffer = (unsigned char *)records;
    saving->used = size;
    result = saving_flush(saving);
    saving->buffer = buffer;
    return result;
}

/* Checks the number of records written: one more would overwrite those of another rank, one less
 * would leave a gap. */
static int saving_check(const struct saving *saving)
{
    struct fault fault = {0};
    const uint64_t written = saving->next - (uint64_t)saving->begin[saving->part];

    if (HOLDS(&fault, written == saving->own[saving->part]))
        return 0;
    return runtime_fail(saving->collection->runtime, -EPROTO, "a check has failed: %s",
                        fault_text(&fault));
}

static int saving_write_part(struct saving *saving, enum snapshot_part part)
{
    int result;

    saving->part = part;
    saving->record_size = snapshot_record_size(&saving->snapshot, part);
    saving->next = (uint64_t)saving->begin[part];
    saving->used = 0;
    result = image_each(saving->collection, &saving->checkpoint->data, &saving->snapshot, part,
                        saving_take, saving);
    if (result == 0 && saving->used > 0)
        result = saving_flush(saving);
    return result < 0 ? saving_fail(saving, result) : saving_check(saving);
}

static int saving_write(struct saving *saving)
{
    int result = 0;

    saving->buffer = malloc(BUFFER);
    if (!saving->buffer)
        return saving_fail(saving, -ENOMEM);
    for (int part = 0; part < PART_COUNT && result == 0; part++)
        if (saving->snapshot.records[part] > 0)
            result = saving_write_part(saving, (enum snapshot_part)part);
    /* Rank 0 synchronizes later, because it has yet to write the header. */
    if (result == 0 && saving->collection->peer.rank > 0) {
        result = replacement_file_sync(&saving->file);
        if (result < 0)
            saving_fail(saving, result);
    }
    free(saving->buffer);
    saving->buffer = NULL;
    return result;
}

/* ---- all ranks ----------------------------------------------------------------------------- */

static int saving_plan(struct saving *saving)
{
    int64_t records[PART_COUNT];
    int result;

    image_layout(saving->collection, &saving->checkpoint->data, &saving->snapshot);
    image_count(saving->collection, &saving->checkpoint->data, saving->own);
    for (int part = 0; part < PART_COUNT; part++)
        records[part] = (int64_t)saving->own[part];
    result = ranks_scan(saving->collection->runtime, records, PART_COUNT, saving->begin);
    for (int part = 0; part < PART_COUNT; part++)
        saving->snapshot.records[part] = (uint64_t)records[part];
    return result;
}

/* Opens the same file on all ranks. */
static int saving_open(struct saving *saving)
{
    struct steal_runtime *runtime = saving->collection->runtime;
    const char *path = saving->checkpoint->path;
    int64_t name[PATH_MAX / sizeof(int64_t)] = {0};
    int result = 0;

    if (steal_rank(runtime) == 0) {
        result = replacement_file_open(&saving->file, path);
        if (result == 0 && strlen(saving->file.temporary) >= sizeof(name))
            result = saving_fail(saving, -ENAMETOOLONG);
        else if (result < 0)
            saving_fail(saving, result);
        else
            memcpy(name, saving->file.temporary, strlen(saving->file.temporary));
    }
    result = ranks_share_failure(runtime, result);
    if (result == 0)
        result = ranks_copy_first(runtime, name, ARRAY_COUNT(name));
    if (result < 0)
        return result;
    if (steal_rank(runtime) > 0)
        result = replacement_file_join(&saving->file, (const char *)name);
    if (result < 0)
        runtime_fail(runtime, result,
                     "%s: rank %d cannot open it (%s): it must lie where all ranks can write", path,
                     steal_rank(runtime), strerror(-result));
    return ranks_share_failure(runtime, result);
}

static int saving_finish(struct saving *saving)
{
    struct steal_runtime *runtime = saving->collection->runtime;
    unsigned char header[SNAPSHOT_HEADER_SIZE];
    int64_t sum = (int64_t)saving->snapshot.sum;
    int result = ranks_sum(runtime, &sum, 1);

    if (result < 0)
        return result;
    if (steal_rank(runtime) == 0) {
        saving->snapshot.sum = (uint64_t)sum;
        snapshot_put(&saving->snapshot, collection_name(saving->collection), header);
        result = file_write_at(saving->file.fd, 0, header, sizeof(header));
        if (result == 0)
            result = replacement_file_commit(&saving->file);
        if (result < 0)
            saving_fail(saving, result);
    }
    return ranks_share_failure(runtime, result);
}

/* Results that tasks have sent are on rank 0. A results file is synchronized before the checkpoint
 * says that these tasks are done. */
static int saving_results(struct saving *saving)
{
    struct results *results = saving->collection->results;
    uint64_t *state = saving->snapshot.state;
    int result;

    if (saving->collection->bound)
        state[STATE_BOUND] = bound_value(saving->collection->bound);
    if (!results || steal_rank(saving->collection->runtime) > 0)
        return 0;
    result = results_mark(results, &state[STATE_RESULT], &state[STATE_RESULTS_LENGTH]);
    return result < 0 ? delivery_fail(saving->collection, result) : 0;
}

int checkpoint_save(struct steal_collection *collection)
{
    struct saving saving = {
        .collection = collection, .checkpoint = collection->checkpoint, .file = {.fd = -1}};
    struct steal_runtime *runtime = collection->runtime;
    struct checkpoint *checkpoint = collection->checkpoint;
    const int64_t begin_ns = runtime_now(runtime);
    int result = saving_plan(&saving);

    if (result == 0)
        result = ranks_share_failure(runtime, saving_results(&saving));
    if (result == 0)
        result = saving_open(&saving);
    if (result == 0)
        result = ranks_share_failure(runtime, saving_write(&saving));
    if (result == 0)
        result = saving_finish(&saving);
    replacement_file_close(&saving.file);
    checkpoint->saved_ns = runtime_now(runtime);
    checkpoint->took_ns = checkpoint->saved_ns - begin_ns;
    checkpoint_schedule(checkpoint, checkpoint->saved_ns);
    return result;
}

/* An iteration may be much shorter than a save, so saves are skipped. The first process that is
 * done is always saved as done, and so is one for which a save was requested. */
int checkpoint_save_last(struct steal_collection *collection)
{
    struct checkpoint *checkpoint = collection->checkpoint;
    struct steal_runtime *runtime = collection->runtime;
    const int64_t now_ns = runtime_now(runtime);
    int64_t spare = checkpoint->ended && checkpoint->every_ns > 0 && steal_rank(runtime) == 0 &&
                    !(collection->peer.pause_reasons & PEER_SAVE) &&
                    now_ns - checkpoint->saved_ns < LAST_SHARE * checkpoint->took_ns;
    int result = ranks_max(runtime, &spare, 1);

    if (result < 0 || spare)
        return result;
    result = checkpoint_save(collection);
    checkpoint->ended = result == 0;
    return result;
}
