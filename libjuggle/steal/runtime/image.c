/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/image.h"

#include "libjuggle/steal/placement/bytes.h"
#include "libjuggle/steal/runtime/stash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void image_layout(const struct steal_collection *collection, const struct image_data *data,
                  struct snapshot *snapshot)
{
    const struct steal_properties *properties = &collection->properties;

    *snapshot = (struct snapshot){.layout = {
                                      [LAYOUT_TASK_SIZE] = properties->task_size,
                                      [LAYOUT_RETAIN] = properties->retain,
                                      [LAYOUT_LEVELS] = (uint64_t)properties->levels,
                                      [LAYOUT_WEIGHTED] = (uint64_t)properties->weighted,
                                      [LAYOUT_WAITING] = (uint64_t)properties->waiting,
                                      [LAYOUT_STORAGE] = properties->storage,
                                      [LAYOUT_BOUND] = properties->bound,
                                      [LAYOUT_DATA] = data->size,
                                  }};
}

/* ---- how much ------------------------------------------------------------------------------ */

static uint64_t words_of(size_t size)
{
    return (size + SNAPSHOT_WORD - 1) / SNAPSHOT_WORD;
}

int64_t image_held(const struct steal_collection *collection)
{
    int64_t held = 0;

    for (int i = 0; i < collection->worker_tasks_length; i++)
        held += worker_tasks_count(&collection->worker_tasks[i]);
    for (const struct stash *stash = collection->stash; stash; stash = stash->next)
        held += stash->count;
    return held;
}

bool image_has_tasks(const struct steal_collection *collection)
{
    return waiting_pending(collection->waiting) || image_held(collection) > 0;
}

static uint64_t count_kept(const struct steal_collection *collection)
{
    uint64_t count = 0;

    for (int i = 0; i < collection->worker_tasks_length; i++)
        count += collection->worker_tasks[i].record.ledger.count;
    return count;
}

static uint64_t count_shelf(const struct results *results)
{
    uint64_t words = 0;

    for (size_t i = 0; results && i < results->shelf.count; i++)
        words += result_room(results->shelf.heap[i].size) / SNAPSHOT_WORD;
    return words;
}

void image_count(const struct steal_collection *collection, const struct image_data *data,
                 uint64_t records[PART_COUNT])
{
    const struct storage *storage = collection->storage;

    records[PART_TASKS] = (uint64_t)image_held(collection);
    records[PART_KEPT] = count_kept(collection);
    records[PART_COUNTERS] = collection->waiting ? collection->waiting->counters : 0;
    records[PART_STORAGES] = storage ? (uint64_t)storage_count(storage) : 0;
    records[PART_SHELF] = count_shelf(collection->results);
    records[PART_DATA] = collection->peer.rank == 0 ? words_of(data->size) : 0;
}

/* ---- reading ------------------------------------------------------------------------------- */

struct reading {
    const struct steal_collection *collection;
    size_t task_size;      /* of a task in a record */
    unsigned char *record; /* room for one */
    unsigned char *task;   /* room for one, with its history */
    image_sink *sink;
    void *context;
};

/* Gives a task, which is stored as in deques, to the sink. */
static int read_task(struct reading *reading, int tier, const unsigned char *task)
{
    const bool kept = record_wanted(&reading->collection->properties);
    struct history history;

    if (kept)
        memcpy(&history, task + reading->task_size, sizeof(history));
    memcpy(snapshot_put_task(reading->record, tier, kept ? &history : NULL), task,
           reading->task_size);
    return reading->sink(reading->context, reading->record, 1);
}

/* Gives the tasks of a deque to the sink, the oldest first. */
static int read_deque(struct reading *reading, int tier, struct deque *deque)
{
    const uint32_t count = deque_count(deque), first = deque->head - count;
    int result = 0;

    for (uint32_t i = 0; i < count && result == 0; i++) {
        const struct deque_claim one = {first + i, 1};

        result = deque_copy(&deque->tail, &one, reading->task)
                     ? read_task(reading, tier, reading->task)
                     : -EPROTO;
    }
    return result;
}

static int read_tasks(struct reading *reading)
{
    const struct steal_collection *collection = reading->collection;
    const size_t stride = collection->stride;
    int result = 0;

    for (int i = 0; i < collection->worker_tasks_length && result == 0; i++) {
        struct worker_tasks *worker_tasks = &collection->worker_tasks[i];

        result = read_deque(reading, -1, &worker_tasks->deque);
        for (int tier = 0; tier < worker_tasks->tiers.count && result == 0; tier++)
            result = read_deque(reading, tier, &worker_tasks->tiers.deque[tier]);
    }
    for (const struct stash *stash = collection->stash; stash && result == 0; stash = stash->next)
        for (uint32_t i = 0; i < stash->count && result == 0; i++)
            result = read_task(reading, stash->tier, stash->tasks + i * stride);
    return result;
}

static int read_kept(struct reading *reading)
{
    const struct steal_collection *collection = reading->collection;
    int result = 0;

    for (int i = 0; i < collection->worker_tasks_length; i++) {
        const struct ledger *ledger = &collection->worker_tasks[i].record.ledger;

        for (uint32_t k = 0; k < ledger->count && result == 0; k++)
            result = read_task(reading, -1, ledger_entry(ledger, k));
    }
    return result;
}

static int read_counters(struct reading *reading)
{
    const struct waiting_tasks *waiting = reading->collection->waiting;
    int result = 0;

    for (size_t i = 0; waiting && i < waiting->slots && result == 0; i++) {
        const struct waiting_counter *counter = &waiting->counter[i];
        const struct snapshot_counter head = {counter->id, counter->count, counter->task != NULL};
        unsigned char *at;

        if (!counter->taken)
            continue;
        at = snapshot_put_counter(reading->record, &head);
        memset(at, 0, reading->task_size);
        if (counter->task)
            memcpy(at, counter->task, reading->task_size);
        result = reading->sink(reading->context, reading->record, 1);
    }
    return result;
}

static int read_storages(struct reading *reading)
{
    const struct storage *storage = reading->collection->storage;
    int result = 0;

    for (int i = 0; storage && i < storage_count(storage) && result == 0; i++)
        result = reading->sink(reading->context, storage_of(storage, i), 1);
    return result;
}

/* Gives one result of the shelf to the sink, as words: its number, its size, its bytes. */
static int read_shelved(struct reading *reading, const struct shelf *shelf,
                        const struct shelf_entry *entry, unsigned char *room)
{
    const size_t size = result_room(entry->size);
    int result = 0;

    memset(room, 0, size);
    bytes_put(room, entry->id, 8);
    bytes_put(room + 8, entry->size, 8);
    if (entry->data)
        memcpy(room + sizeof(struct result_head), entry->data, entry->size);
    else if (entry->size > 0)
        result = spill_read(&shelf->spill, entry->at, room + sizeof(struct result_head),
                            entry->size);
    if (result < 0)
        return result;
    return reading->sink(reading->context, room, size / SNAPSHOT_WORD);
}

static int read_shelf(struct reading *reading)
{
    const struct results *results = reading->collection->results;
    unsigned char *room;
    int result = 0;

    if (!results || results->shelf.count == 0)
        return 0;
    room = malloc(result_room(STEAL_RESULT_SIZE_MAX));
    if (!room)
        return -ENOMEM;
    for (size_t i = 0; i < results->shelf.count && result == 0; i++)
        result = read_shelved(reading, &results->shelf, &results->shelf.heap[i], room);
    free(room);
    return result;
}

/* Gives the program's data to the sink, as words; the last one is padded with zeros. */
static int read_data(struct reading *reading, const struct image_data *data)
{
    const size_t whole = data->size / SNAPSHOT_WORD, rest = data->size % SNAPSHOT_WORD;
    unsigned char last[SNAPSHOT_WORD] = {0};
    int result = 0;

    if (reading->collection->peer.rank > 0 || data->size == 0)
        return 0;
    if (whole > 0)
        result = reading->sink(reading->context, data->bytes, whole);
    if (result < 0 || rest == 0)
        return result;
    memcpy(last, data->bytes + whole * SNAPSHOT_WORD, rest);
    return reading->sink(reading->context, last, 1);
}

static int read_part(struct reading *reading, const struct image_data *data,
                     enum snapshot_part part)
{
    switch (part) {
    case PART_TASKS:
        return read_tasks(reading);
    case PART_KEPT:
        return read_kept(reading);
    case PART_COUNTERS:
        return read_counters(reading);
    case PART_STORAGES:
        return read_storages(reading);
    case PART_SHELF:
        return read_shelf(reading);
    case PART_DATA:
        return read_data(reading, data);
    case PART_COUNT:
        break;
    }
    return 0;
}

int image_each(const struct steal_collection *collection, const struct image_data *data,
               const struct snapshot *snapshot, enum snapshot_part part, image_sink *sink,
               void *context)
{
    struct reading reading = {
        .collection = collection,
        .task_size = record_task_stride(&collection->properties),
        .sink = sink,
        .context = context,
    };
    int result = -ENOMEM;

    reading.task = malloc(collection->stride + snapshot_record_size(snapshot, part));
    if (reading.task) {
        reading.record = reading.task + collection->stride;
        result = read_part(&reading, data, part);
    }
    free(reading.task);
    return result;
}
