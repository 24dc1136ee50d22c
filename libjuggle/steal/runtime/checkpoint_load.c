/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/checkpoint.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/replacement_file.h"
#include "libjuggle/steal/runtime/delivery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 20 };

struct loading {
    struct steal_collection *collection;
    const struct checkpoint *checkpoint;
    struct snapshot snapshot;
    int fd;
    uint64_t sum;            /* of the records that this rank has read so far */
    struct image_data *kept; /* NULL: records are only added up; otherwise they are put into the
                                collection, and the program's data here */
};

static int loading_fail(const struct loading *loading, int result)
{
    return runtime_fail_path(loading->collection->runtime, result, loading->checkpoint->path);
}

static int loading_refuse(const struct loading *loading, const char *wrong)
{
    return runtime_fail(loading->collection->runtime, -EBADMSG, "%s %s", loading->checkpoint->path,
                        wrong);
}

/* ---- the header ---------------------------------------------------------------------------- */

/* On rank 0: opens the file and checks its header. -ENOENT: there is no file. */
static int header_read(struct loading *loading)
{
    unsigned char header[SNAPSHOT_HEADER_SIZE] = {0};
    struct snapshot own;
    off_t size = 0;
    const char *wrong;
    int result;

    loading->fd = file_open_read(loading->checkpoint->path, &size);
    if (loading->fd < 0)
        return loading->fd == -ENOENT ? -ENOENT : loading_fail(loading, loading->fd);
    result = file_read_at(loading->fd, 0, header, (size_t)min_i64(size, SNAPSHOT_HEADER_SIZE));
    if (result < 0)
        return loading_fail(loading, result);
    image_layout(loading->collection, &loading->checkpoint->data, &own);
    wrong = snapshot_check(header, (uint64_t)size, collection_name(loading->collection), own.layout,
                           &loading->snapshot);
    return wrong ? loading_refuse(loading, wrong) : 0;
}

/* Gives the header to all ranks. Returns 1; 0: there is no file. */
static int header_share(struct loading *loading)
{
    struct steal_runtime *runtime = loading->collection->runtime;
    const bool first = steal_rank(runtime) == 0;
    int64_t words[1 + sizeof(struct snapshot) / sizeof(int64_t)] = {0};
    int result = first ? header_read(loading) : 0;

    words[0] = first && result == -ENOENT;
    if (first)
        memcpy(words + 1, &loading->snapshot, sizeof(loading->snapshot));
    result = ranks_share_failure(runtime, words[0] ? 0 : result);
    if (result == 0)
        result = ranks_copy_first(runtime, words, ARRAY_COUNT(words));
    memcpy(&loading->snapshot, words + 1, sizeof(loading->snapshot));
    return result < 0 ? result : !words[0];
}

/* ---- the parts ----------------------------------------------------------------------------- */

/* Handles `count` records of a part that were read, from index `first` of the part on. Its slice is
 * this rank's. All ranks read the program's data, but only rank 0 adds it to the sum. */
static int records_use(struct loading *loading, enum snapshot_part part, struct image_slice slice,
                       uint64_t first, const unsigned char *records, uint64_t count)
{
    if (loading->kept)
        return image_put(loading->collection, loading->kept, &loading->snapshot, part,
                         first - slice.first, records, count);
    if (part != PART_DATA || steal_rank(loading->collection->runtime) == 0)
        loading->sum += snapshot_sum(&loading->snapshot, part, first, records, count);
    return 0;
}

static int part_read(struct loading *loading, enum snapshot_part part)
{
    const struct steal_runtime *runtime = loading->collection->runtime;
    const struct image_slice slice = image_slice(&loading->snapshot, part, steal_rank(runtime),
                                                 steal_ranks(runtime));
    const size_t size = snapshot_record_size(&loading->snapshot, part);
    const bool whole = part == PART_SHELF || part == PART_DATA;
    const uint64_t least = whole ? slice.end - slice.first : 1;
    const uint64_t portion = (uint64_t)max_i64(BUFFER / (int64_t)max_i64((int64_t)size, 1),
                                               (int64_t)least);
    unsigned char *records;
    int result = 0;

    if (slice.first == slice.end)
        return 0;
    records = malloc((size_t)portion * size);
    if (!records)
        return -ENOMEM;
    for (uint64_t next = slice.first; next < slice.end && result == 0; next += portion) {
        const uint64_t count = (uint64_t)min_i64((int64_t)portion, (int64_t)(slice.end - next));

        result = file_read_at(loading->fd, (off_t)snapshot_offset(&loading->snapshot, part, next),
                              records, (size_t)count * size);
        if (result == 0)
            result = records_use(loading, part, slice, next, records, count);
    }
    free(records);
    return result;
}

static int parts_read(struct loading *loading)
{
    int result = 0;

    for (int part = 0; part < PART_COUNT && result == 0; part++)
        result = part_read(loading, (enum snapshot_part)part);
    return result < 0 ? loading_fail(loading, result) : 0;
}

/* ---- all ranks ----------------------------------------------------------------------------- */

static int loading_open(struct loading *loading)
{
    struct steal_runtime *runtime = loading->collection->runtime;
    const char *path = loading->checkpoint->path;
    int result = 0;

    if (steal_rank(runtime) > 0) {
        loading->fd = open(path, O_RDONLY | O_CLOEXEC);
        if (loading->fd < 0)
            result = runtime_fail(runtime, -errno,
                                  "%s: rank %d cannot open it (%s): it must lie where all ranks "
                                  "can read",
                                  path, steal_rank(runtime), strerror(errno));
    }
    return ranks_share_failure(runtime, result);
}

/* Verifies the sum of the whole file before any of it is used. */
static int loading_verify(struct loading *loading)
{
    struct steal_runtime *runtime = loading->collection->runtime;
    int result = ranks_share_failure(runtime, parts_read(loading));
    int64_t all = (int64_t)loading->sum;

    if (result == 0)
        result = ranks_sum(runtime, &all, 1);
    if (result < 0 || (uint64_t)all == loading->snapshot.sum)
        return result;
    return loading_refuse(loading, "is damaged: its sum is wrong");
}

static int loading_results(struct loading *loading)
{
    struct results *results = loading->collection->results;
    const uint64_t *state = loading->snapshot.state;
    int result;

    if (!results || steal_rank(loading->collection->runtime) > 0)
        return 0;
    result = results_resume(results, state[STATE_RESULT], state[STATE_RESULTS_LENGTH]);
    return result < 0 ? delivery_fail(loading->collection, result) : 0;
}

/* Puts the records into the collection. The program's data is copied only when nothing can fail any
 * more on any rank. */
static int loading_put(struct loading *loading)
{
    struct steal_runtime *runtime = loading->collection->runtime;
    const struct image_data *data = &loading->checkpoint->data;
    struct image_data kept = {malloc(data->size + 1), data->size};
    int result = ranks_share_failure(runtime, loading_results(loading));

    if (result == 0) {
        loading->kept = &kept;
        result = kept.bytes ? parts_read(loading) : loading_fail(loading, -ENOMEM);
        loading->kept = NULL;
        result = ranks_share_failure(runtime, result);
        if (result < 0)
            image_clear(loading->collection);
    }
    if (result == 0 && data->size > 0 && kept.bytes)
        memcpy(data->bytes, kept.bytes, data->size);
    if (result == 0 && loading->collection->bound)
        (void)bound_improve(loading->collection->bound, loading->snapshot.state[STATE_BOUND]);
    free(kept.bytes);
    return result;
}

int checkpoint_load(struct steal_collection *collection, const struct checkpoint *checkpoint)
{
    struct loading loading = {.collection = collection, .checkpoint = checkpoint, .fd = -1};
    int result = header_share(&loading);

    if (result > 0) {
        result = loading_open(&loading);
        if (result == 0)
            result = loading_verify(&loading);
        if (result == 0)
            result = loading_put(&loading);
        collection->stopped = result == 0;
        result = result < 0 ? result : 1;
    }
    if (loading.fd >= 0)
        close(loading.fd);
    return result;
}
