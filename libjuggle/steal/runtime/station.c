/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/station.h"

#include "libjuggle/steal/deque/memory.h"
#include "libjuggle/steal/runtime/collection.h"

#include <errno.h>
#include <stdlib.h>

int station_open(struct station *station, const struct steal_properties *properties, size_t stride)
{
    void *memory = memory_reserve(properties->memory_max);
    int result;

    if (!memory)
        return -ENOMEM;
    result = deque_init(&station->deque, memory, properties->memory_max, stride,
                        (uint32_t)properties->tasks);
    if (result < 0) {
        memory_release(memory, properties->memory_max);
        return result;
    }
    if (properties->retain)
        result = record_open(&station->record, properties->memory_max);
    if (result < 0)
        return result;
    return posix_memalign((void **)&station->batch, DEQUE_LINE, properties->batch * stride)
               ? -ENOMEM
               : 0;
}

void station_close(struct station *station, const struct steal_properties *properties)
{
    free(station->batch);
    record_close(&station->record);
    memory_release(station->deque.tail, properties->memory_max);
}

void station_begin(struct station *station)
{
    record_clear(&station->record);
    station->executed = 0;
    station->sessions = 0;
    station->session_ns = 0;
    station->session_max_ns = 0;
    station->shares = 0;
    station->deque.held_max = deque_count(&station->deque);
}

void station_execute(struct steal_collection *collection, struct steal_worker *worker,
                     struct station *station, uint32_t count)
{
    int64_t executed = atomic_load_explicit(&station->executed, memory_order_relaxed);

    if (station->record.tasks)
        record_add(&station->record, station->batch, count, collection->stride);
    collection->exec(worker, collection->properties.local, station->batch, count);
    atomic_store_explicit(&station->executed, executed + count, memory_order_relaxed);
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
}
