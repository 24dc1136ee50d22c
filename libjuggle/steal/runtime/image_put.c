/* SPDX-License-Identifier: BSD-3-Clause */
/* Putting the records of a checkpoint into a collection. */
#include "libjuggle/steal/runtime/image.h"

#include "libjuggle/steal/placement/bytes.h"
#include "libjuggle/steal/runtime/inbox.h"
#include "libjuggle/steal/runtime/stash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct image_slice image_slice(const struct snapshot *snapshot, enum snapshot_part part, int rank,
                               int ranks)
{
    const uint64_t records = snapshot->records[part];

    if (part == PART_DATA)
        return (struct image_slice){0, records};
    if (part == PART_SHELF)
        return (struct image_slice){0, rank == 0 ? records : 0};
    /* Without the product of `records` and `rank`, which might be too large. */
    const uint64_t each = records / (uint64_t)ranks, more = records % (uint64_t)ranks;
    const uint64_t own = (uint64_t)rank;
    const uint64_t first = own * each + (own < more ? own : more);

    return (struct image_slice){first, first + each + (own < more)};
}

/* Copies the task of a record to `task`, as it lies in deques; returns its tier. */
static int task_of(const struct steal_collection *collection, const unsigned char *record,
                   unsigned char *task)
{
    const size_t size = record_task_stride(&collection->properties);
    const bool kept = record_wanted(&collection->properties);
    struct history history;
    int tier;

    memcpy(task, snapshot_get_task(record, &tier, kept ? &history : NULL), size);
    if (kept)
        memcpy(task + size, &history, sizeof(history));
    return tier;
}

static int put_task(struct steal_collection *collection, const unsigned char *record,
                    unsigned char *task)
{
    const int tier = task_of(collection, record, task);
    const int tiers = collection->worker_tasks[0].tiers.count;

    return inbox_accept(collection, tier < tiers ? tier : -1, task, 1);
}

/* Divides executed tasks evenly between the workers: steal_restore() gives each worker the tasks of
 * its own record. */
static int put_kept(struct steal_collection *collection, uint64_t place,
                    const unsigned char *record, unsigned char *task)
{
    const uint64_t workers = (uint64_t)collection->runtime->workers;
    struct record *kept = &collection->worker_tasks[place % workers].record;
    const int result = record_open(kept);

    if (result < 0)
        return result;
    (void)task_of(collection, record, task);
    kept->full |= !ledger_add(&kept->ledger, task);
    return 0;
}

/* As a note: when the process begins it is sent to the home of the counter, which is another rank
 * now if there are more or fewer ranks. */
static int put_counter(struct steal_collection *collection, const unsigned char *record)
{
    struct snapshot_counter counter;
    const unsigned char *task = snapshot_get_counter(record, &counter);

    return waiting_note(collection->waiting, counter.id, counter.count,
                        counter.has_task ? task : NULL, collection->stride);
}

static int put_storage(struct steal_collection *collection, uint64_t place,
                       const unsigned char *record)
{
    struct storage *storage = collection->storage;

    if (place >= (uint64_t)storage->workers)
        return storage_add(storage, record);
    memcpy(storage_of(storage, (int)place), record, storage->size);
    return 0;
}

static int put_shelf(struct steal_collection *collection, const unsigned char *words,
                     uint64_t count)
{
    const size_t head = sizeof(struct result_head);
    uint64_t left = count * SNAPSHOT_WORD;
    int result = 0;

    while (left > 0 && result == 0) {
        const uint64_t size = left >= head ? bytes_get(words + 8, 8) : UINT64_MAX;

        if (size > STEAL_RESULT_SIZE_MAX || result_room(size) > left || !collection->results)
            return -EBADMSG;
        result = shelf_put(&collection->results->shelf, bytes_get(words, 8), words + head, size);
        words += result_room(size);
        left -= result_room(size);
    }
    return result;
}

int image_put(struct steal_collection *collection, const struct image_data *data,
              const struct snapshot *snapshot, enum snapshot_part part, uint64_t place,
              const unsigned char *records, uint64_t count)
{
    const size_t size = snapshot_record_size(snapshot, part);
    unsigned char *task = NULL;
    int result = 0;

    if (part == PART_SHELF)
        return put_shelf(collection, records, count);
    if (part == PART_DATA && data->size > 0)
        memcpy(data->bytes, records, data->size);
    if (part == PART_TASKS || part == PART_KEPT)
        task = malloc(collection->stride);
    if ((part == PART_TASKS || part == PART_KEPT) && !task)
        return -ENOMEM;
    for (uint64_t i = 0; i < count && result == 0 && part != PART_DATA; i++) {
        const unsigned char *record = records + i * size;

        if (part == PART_TASKS)
            result = put_task(collection, record, task);
        else if (part == PART_KEPT)
            result = put_kept(collection, place + i, record, task);
        else if (part == PART_COUNTERS)
            result = put_counter(collection, record);
        else
            result = put_storage(collection, place + i, record);
    }
    free(task);
    return result;
}

/* ---- clearing ------------------------------------------------------------------------------ */

void image_clear_tasks(struct steal_collection *collection)
{
    for (int i = 0; i < collection->worker_tasks_length; i++)
        while (worker_tasks_pop(&collection->worker_tasks[i], &collection->properties) > 0)
            continue;
    while (collection->stash)
        stash_drop(&collection->stash, collection->stash->count, collection->stride);
}

void image_clear(struct steal_collection *collection)
{
    image_clear_tasks(collection);
    for (int i = 0; i < collection->worker_tasks_length; i++)
        record_begin(&collection->worker_tasks[i].record);
    if (collection->waiting)
        waiting_clear(collection->waiting);
    if (collection->storage)
        storage_clear(collection->storage);
    if (collection->results)
        results_drop(collection->results);
}
