/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/station.h"

#include "libjuggle/steal/deque/memory.h"
#include "libjuggle/steal/runtime/collection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the deque reserves, so that its latest ring may take up memory_max. */
static size_t deque_reserved(const struct steal_properties *properties, size_t stride)
{
    const uint32_t first = (uint32_t)properties->tasks;

    return deque_memory_size(stride, first,
                             deque_capacity_within(stride, first, properties->memory_max));
}

int station_open(struct station *station, const struct steal_properties *properties, int workers)
{
    const size_t stride = record_stride(properties);
    const size_t reserved = deque_reserved(properties, stride);
    void *memory = memory_reserve(reserved);
    int result;

    if (!memory)
        return -ENOMEM;
    result = deque_init(&station->deque, memory, reserved, stride, (uint32_t)properties->tasks);
    if (result < 0) {
        memory_release(memory, reserved);
        return result;
    }
    if (record_wanted(properties))
        result = record_open(&station->record, properties, workers);
    if (result < 0)
        return result;
    return posix_memalign((void **)&station->batch, DEQUE_LINE, properties->batch * stride)
               ? -ENOMEM
               : 0;
}

void station_close(struct station *station)
{
    free(station->batch);
    record_close(&station->record);
    memory_release(station->deque.tail, station->deque.memory_size);
}

void station_begin(struct station *station)
{
    record_begin(&station->record);
    station->executed = 0;
    station->reserved = 0;
    station->sessions = 0;
    station->session_ns = 0;
    station->session_max_ns = 0;
    memset(station->spectrum, 0, sizeof(station->spectrum));
    station->shares = 0;
    station->deque.held_max = deque_count(&station->deque);
}

/* With a clock on it: one reading for each batch, where one follows the other. */
static void station_execute_retained(struct steal_collection *collection,
                                     struct steal_worker *worker, struct station *station,
                                     uint32_t count)
{
    const struct steal_properties *properties = &collection->properties;
    struct record *record = &station->record;
    const void *tasks = record_view(record, station->batch, count);
    struct steal_runtime *runtime = collection->runtime;
    const struct stopwatch *watch = &runtime->stopwatch;
    const int64_t begin = record->clock > 0 ? record->clock
                                            : stopwatch_read(watch, runtime->transport);

    record_start(record, count);
    worker->record = record;
    collection->exec(worker, properties->local, tasks, count);
    worker->record = NULL;
    record->clock = stopwatch_read(watch, runtime->transport);
    record_finish(record, properties, station->batch, stopwatch_ns(watch, begin, record->clock));
}

void station_execute(struct steal_collection *collection, struct steal_worker *worker,
                     struct station *station, uint32_t count)
{
    int64_t executed = atomic_load_explicit(&station->executed, memory_order_relaxed);

    if (atomic_load_explicit(&collection->canceled, memory_order_relaxed))
        return;
    if (station->record.ledger.entries)
        station_execute_retained(collection, worker, station, count);
    else
        collection->exec(worker, collection->properties.local, station->batch, count);
    atomic_store_explicit(&station->executed, executed + count, memory_order_relaxed);
}

void steal_took(struct steal_worker *worker, size_t index, int64_t duration_ns)
{
    if (worker->record)
        record_tell(worker->record, index, duration_ns);
}

void steal_forget(struct steal_worker *worker, size_t index)
{
    if (worker->record)
        record_forget(worker->record, index);
}

void session_begin(struct station *station, struct steal_worker *worker, int64_t now_ns)
{
    activity_enter(&worker->activity, STEAL_STATE_SEARCHING, now_ns);
    station->session_begin_ns = now_ns;
    station->sessions++;
}

void session_end(struct station *station, struct steal_worker *worker, enum steal_state next,
                 int64_t now_ns)
{
    int64_t length_ns = now_ns - station->session_begin_ns;

    activity_enter(&worker->activity, next, now_ns);
    station->session_ns += length_ns;
    station->session_max_ns = max_i64(station->session_max_ns, length_ns);
    spectrum_add(station->spectrum, length_ns);
}
