/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/station.h"

#include "libjuggle/steal/runtime/reservation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int station_open(struct station *station, const struct steal_properties *properties, int workers,
                 bool has_diary)
{
    const size_t stride = record_stride(properties);

    deque_init(&station->deque, stride, (uint32_t)properties->tasks, properties->memory_max);
    station->batch_size = properties->batch * stride;
    station->tier = -1;
    if (tiers_open(&station->tiers, properties, stride) < 0)
        return -ENOMEM;
    station->ordered = station->tiers.deque != NULL;
    if (has_diary) {
        station->diary = calloc(1, sizeof(*station->diary));
        if (!station->diary)
            return -ENOMEM;
    }
    station->kept = record_wanted(properties);
    if (station->kept)
        record_init(&station->record, properties, workers);
    return 0;
}

void station_close(struct station *station)
{
    free(station->batch);
    free(station->diary);
    tiers_close(&station->tiers);
    record_close(&station->record);
    deque_close(&station->deque);
}

void station_begin(struct station *station, struct steal_worker *worker, int64_t now_ns)
{
    record_begin(&station->record);
    station->executed = 0;
    station->sessions = 0;
    station->session_ns = 0;
    station->session_max_ns = 0;
    if (station->diary) {
        memset(station->diary->sessions, 0, sizeof(station->diary->sessions));
        memset(station->diary->attempts, 0, sizeof(station->diary->attempts));
    }
    station->shares = 0;
    station->deque.held_max = deque_count(&station->deque);
    tiers_begin(&station->tiers);
    worker->record = NULL;
    worker->activity.timeline = station->diary ? &station->diary->timeline : NULL;
    activity_begin(&worker->activity, STEAL_STATE_WORKING, now_ns);
}

/* What it takes to execute tasks. Of thousands of ranks in one process, many never get one. */
static bool station_prepare(struct station *station)
{
    if (station->kept && record_open(&station->record) < 0)
        return false;
    return posix_memalign((void **)&station->batch, DEQUE_LINE, station->batch_size) == 0;
}

void *station_reserve(struct station *station, uint32_t count)
{
    if (!station->batch && !station_prepare(station))
        return NULL;
    return deque_reserve(&station->deque, count);
}

void *station_reserve_tier(struct station *station, int tier, uint32_t count)
{
    if (tier < 0)
        return station_reserve(station, count);
    if (!station->batch && !station_prepare(station))
        return NULL;
    return deque_reserve(&station->tiers.deque[tier], count);
}

void station_commit(struct station *station, int tier, uint32_t count)
{
    if (tier < 0) {
        deque_commit(&station->deque, count);
        return;
    }
    deque_commit(&station->tiers.deque[tier], count);
    tiers_occupy(&station->tiers, tier);
}

uint32_t station_count(const struct station *station)
{
    return station->ordered ? deque_count(&station->deque) + tiers_count(&station->tiers)
                            : deque_count(&station->deque);
}

uint32_t station_shared(const struct station *station)
{
    return station->ordered ? tiers_shared(&station->tiers)
                            : deque_tail_count(&station->deque.tail);
}

/* What nothing is said of costs what others do. */
static int64_t cost_of(const struct history *history, int64_t mean)
{
    return history->runs > 0 || history->flags & HISTORY_COSTED ? history->predicted_ns : mean;
}

/* The average of what is known of the oldest `count` tasks. */
static int64_t cost_mean(const struct station *station, const struct deque_claim *claim)
{
    const size_t stride = station->tiers.stride;
    double sum = 0;
    uint32_t known = 0;

    for (uint32_t i = 0; i < claim->count; i++) {
        struct deque_claim one = {claim->first + i, 1};
        const struct history *history = ledger_history(stride, station->batch);

        deque_copy(&station->deque.tail, &one, station->batch);
        if (cost_of(history, -1) < 0)
            continue;
        sum += (double)history->predicted_ns;
        known++;
    }
    return known > 0 ? (int64_t)(sum / known) : 0;
}

/* The oldest first, so that they keep their order within a tier. */
int station_sort(struct station *station)
{
    struct tiers *tiers = &station->tiers;
    struct deque_claim all;
    int result = 0;

    if (!tiers->deque || deque_count(&station->deque) == 0)
        return 0;
    deque_release(&station->deque, deque_count(&station->deque));
    deque_claim(&station->deque.tail, UINT32_MAX, &all);
    const int64_t mean = cost_mean(station, &all);

    for (uint32_t i = 0; i < all.count; i++) {
        struct deque_claim one = {all.first + i, 1};
        int tier;
        void *room;

        deque_copy(&station->deque.tail, &one, station->batch);
        tier = tiers_place(tiers, 0, cost_of(ledger_history(tiers->stride, station->batch), mean));
        room = station_reserve_tier(station, tier, 1);
        if (room)
            memcpy(room, station->batch, tiers->stride);
        else
            result = -ENOMEM;
        if (room)
            station_commit(station, tier, 1);
    }
    deque_complete(&station->deque.tail, &all);
    return result;
}

/* A rest would leave some lanes of a vector empty: it waits for the tasks that the others add. */
uint32_t station_pop(struct station *station, const struct steal_properties *properties)
{
    const uint32_t lanes = (uint32_t)properties->lanes;
    const uint32_t held = station_count(station);
    uint32_t most = (uint32_t)properties->batch;

    if (held < most && held >= lanes)
        most = held - held % lanes;
    if (station->ordered)
        return tiers_pop(&station->tiers, station->batch, most);
    return deque_pop(&station->deque, station->batch, most);
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
    record_finish(record, station->batch, stopwatch_ns(watch, begin, record->clock));
}

void station_execute(struct steal_collection *collection, struct steal_worker *worker,
                     struct station *station, uint32_t count)
{
    int64_t executed = atomic_load_explicit(&station->executed, memory_order_relaxed);

    if (atomic_load_explicit(&collection->canceled, memory_order_relaxed))
        return;
    if (station->kept)
        station_execute_retained(collection, worker, station, count);
    else
        collection->exec(worker, collection->properties.local, station->batch, count);
    atomic_store_explicit(&station->executed, executed + count, memory_order_relaxed);
    if (worker->reservations > 0)
        reservations_expose(worker);
}

void steal_took(struct steal_worker *worker, size_t index, int64_t duration_ns)
{
    if (worker && worker->record)
        record_tell(worker->record, index, duration_ns);
}

void steal_forget(struct steal_worker *worker, size_t index)
{
    if (worker && worker->record)
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
    if (station->diary)
        spectrum_add(station->diary->sessions, length_ns);
}
