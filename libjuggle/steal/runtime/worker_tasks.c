/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/worker_tasks.h"

#include "libjuggle/steal/runtime/reservation.h"
#include "libjuggle/steal/runtime/stash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int worker_tasks_open(struct worker_tasks *worker_tasks, const struct steal_properties *properties,
                      int workers, bool has_report_data)
{
    const size_t stride = record_stride(properties);

    deque_init(&worker_tasks->deque, stride, (uint32_t)properties->tasks, properties->memory_max);
    worker_tasks->batch_size = properties->batch * stride;
    worker_tasks->tier = -1;
    if (tiers_open(&worker_tasks->tiers, properties, stride) < 0)
        return -ENOMEM;
    worker_tasks->ordered = worker_tasks->tiers.deque != NULL;
    if (has_report_data) {
        worker_tasks->report_data = calloc(1, sizeof(*worker_tasks->report_data));
        if (!worker_tasks->report_data)
            return -ENOMEM;
    }
    worker_tasks->kept = record_wanted(properties);
    if (worker_tasks->kept)
        record_init(&worker_tasks->record, properties, workers);
    return 0;
}

void worker_tasks_close(struct worker_tasks *worker_tasks)
{
    free(worker_tasks->batch);
    free(worker_tasks->report_data);
    tiers_close(&worker_tasks->tiers);
    record_close(&worker_tasks->record);
    deque_close(&worker_tasks->deque);
}

void worker_tasks_begin(struct worker_tasks *worker_tasks, struct steal_worker *worker, bool anew,
                        int64_t now_ns)
{
    if (anew)
        record_begin(&worker_tasks->record);
    else
        record_go_on(&worker_tasks->record);
    worker_tasks->executed = 0;
    worker_tasks->sessions = 0;
    worker_tasks->session_ns = 0;
    worker_tasks->session_max_ns = 0;
    if (worker_tasks->report_data) {
        memset(worker_tasks->report_data->sessions, 0, sizeof(worker_tasks->report_data->sessions));
        memset(worker_tasks->report_data->attempts, 0, sizeof(worker_tasks->report_data->attempts));
    }
    worker_tasks->shares = 0;
    worker_tasks->deque.held_max = deque_count(&worker_tasks->deque);
    tiers_begin(&worker_tasks->tiers);
    worker->record = NULL;
    worker->activity.timeline = worker_tasks->report_data ? &worker_tasks->report_data->timeline
                                                          : NULL;
    activity_begin(&worker->activity, STEAL_STATE_WORKING, now_ns);
}

/* Allocates what it takes to execute tasks. Not before the first task comes: of thousands of ranks
 * in one process, many never get one. */
static bool worker_tasks_prepare(struct worker_tasks *worker_tasks)
{
    if (worker_tasks->kept && record_open(&worker_tasks->record) < 0)
        return false;
    return posix_memalign((void **)&worker_tasks->batch, DEQUE_LINE, worker_tasks->batch_size) == 0;
}

void *worker_tasks_reserve(struct worker_tasks *worker_tasks, int tier, uint32_t count)
{
    if (!worker_tasks->batch && !worker_tasks_prepare(worker_tasks))
        return NULL;
    return deque_reserve(worker_tasks_deque(worker_tasks, tier), count);
}

void worker_tasks_commit(struct worker_tasks *worker_tasks, int tier, uint32_t count)
{
    deque_commit(worker_tasks_deque(worker_tasks, tier), count);
    if (tier >= 0)
        tiers_occupy(&worker_tasks->tiers, tier);
}

uint32_t worker_tasks_put(struct worker_tasks *worker_tasks, int tier, const void *tasks,
                          uint32_t count)
{
    const struct deque *deque = worker_tasks_deque(worker_tasks, tier);
    const uint32_t most = (uint32_t)min_i64(DEQUE_RESERVE_MAX, deque->capacity_first);
    uint32_t done = 0;

    while (done < count) {
        const uint32_t part = (uint32_t)min_i64(count - done, most);
        void *room = worker_tasks_reserve(worker_tasks, tier, part);

        if (!room)
            break;
        memcpy(room, (const char *)tasks + (size_t)done * deque->stride,
               (size_t)part * deque->stride);
        worker_tasks_commit(worker_tasks, tier, part);
        done += part;
    }
    return done;
}

uint32_t worker_tasks_count(const struct worker_tasks *worker_tasks)
{
    return worker_tasks->ordered
               ? deque_count(&worker_tasks->deque) + tiers_count(&worker_tasks->tiers)
               : deque_count(&worker_tasks->deque);
}

uint32_t worker_tasks_shared(const struct worker_tasks *worker_tasks)
{
    return worker_tasks->ordered ? tiers_shared(&worker_tasks->tiers)
                                 : deque_tail_count(&worker_tasks->deque.tail);
}

const char *worker_tasks_fault(const struct worker_tasks *worker_tasks)
{
    const char *text = fault_text(&worker_tasks->deque.tail.fault);

    for (int tier = 0; tier < worker_tasks->tiers.count && !text; tier++)
        text = fault_text(&worker_tasks->tiers.deque[tier].tail.fault);
    return text;
}

/* The cost of a task: what is known of it or the program said, otherwise `mean`. */
static int64_t cost_of(const struct history *history, int64_t mean)
{
    return history->runs > 0 || history->flags & HISTORY_COSTED ? history->predicted_ns : mean;
}

/* The average cost of the claimed tasks whose cost is known; 0 if there are none. */
static int64_t cost_mean(struct worker_tasks *worker_tasks, const struct deque_claim *claim)
{
    const size_t stride = worker_tasks->tiers.stride;
    double sum = 0;
    uint32_t known = 0;

    for (uint32_t i = 0; i < claim->count; i++) {
        struct deque_claim one = {claim->first + i, 1};
        const struct history *history = ledger_history(stride, worker_tasks->batch);

        if (!deque_copy(&worker_tasks->deque.tail, &one, worker_tasks->batch) ||
            cost_of(history, -1) < 0)
            continue;
        sum += (double)history->predicted_ns;
        known++;
    }
    return known > 0 ? (int64_t)(sum / known) : 0;
}

/* The oldest first, so that they keep their order within a tier. */
int worker_tasks_sort(struct steal_collection *collection, struct worker_tasks *worker_tasks)
{
    struct tiers *tiers = &worker_tasks->tiers;
    struct deque_claim all;
    int result = 0;

    if (!tiers->deque || deque_count(&worker_tasks->deque) == 0)
        return 0;
    deque_release(&worker_tasks->deque, deque_count(&worker_tasks->deque));
    deque_claim(&worker_tasks->deque.tail, UINT32_MAX, &all);
    const int64_t mean = cost_mean(worker_tasks, &all);

    for (uint32_t i = 0; i < all.count; i++) {
        struct deque_claim one = {all.first + i, 1};

        if (!deque_copy(&worker_tasks->deque.tail, &one, worker_tasks->batch))
            continue;
        const int tier = tiers_place(
            tiers, 0, cost_of(ledger_history(tiers->stride, worker_tasks->batch), mean));

        if (worker_tasks_put(worker_tasks, tier, worker_tasks->batch, 1) == 0 &&
            stash_add(&collection->stash, tier, worker_tasks->batch, 1, tiers->stride) < 0)
            result = -ENOMEM;
    }
    deque_complete(&worker_tasks->deque.tail, &all);
    return result;
}

/* Takes a multiple of `lanes` if there are at least that many tasks: the rest would leave some
 * lanes of a vector empty, and waits until more tasks are added. */
uint32_t worker_tasks_pop(struct worker_tasks *worker_tasks,
                          const struct steal_properties *properties)
{
    const uint32_t lanes = (uint32_t)properties->lanes;
    const uint32_t held = worker_tasks_count(worker_tasks);
    uint32_t most = (uint32_t)properties->batch;

    if (held < most && held >= lanes)
        most = held - held % lanes;
    if (worker_tasks->ordered)
        return tiers_pop(&worker_tasks->tiers, worker_tasks->batch, most);
    return deque_pop(&worker_tasks->deque, worker_tasks->batch, most);
}

/* Executes and measures: one reading of the clock for each batch, if they follow each other at
 * once. */
static void worker_tasks_execute_retained(struct steal_collection *collection,
                                          struct steal_worker *worker,
                                          struct worker_tasks *worker_tasks, uint32_t count)
{
    const struct steal_properties *properties = &collection->properties;
    struct record *record = &worker_tasks->record;
    const void *tasks = record_view(record, worker_tasks->batch, count);
    struct steal_runtime *runtime = collection->runtime;
    const struct stopwatch *watch = &runtime->stopwatch;
    const int64_t begin = record->clock > 0 ? record->clock
                                            : stopwatch_read(watch, runtime->transport);

    record_start(record, count);
    worker->record = record;
    collection->exec(worker, properties->local, tasks, count);
    worker->record = NULL;
    record->clock = stopwatch_read(watch, runtime->transport);
    record_finish(record, worker_tasks->batch, stopwatch_ns(watch, begin, record->clock));
}

void worker_tasks_execute(struct steal_collection *collection, struct steal_worker *worker,
                          struct worker_tasks *worker_tasks, uint32_t count)
{
    int64_t executed = atomic_load_explicit(&worker_tasks->executed, memory_order_relaxed);

    if (worker_tasks->kept)
        worker_tasks_execute_retained(collection, worker, worker_tasks, count);
    else
        collection->exec(worker, collection->properties.local, worker_tasks->batch, count);
    atomic_store_explicit(&worker_tasks->executed, executed + count, memory_order_relaxed);
    if (worker->reservations > 0)
        reservations_fail(worker);
}

/* In a pause tasks stay where they are; after a cancellation they are dropped. */
static uint32_t worker_tasks_halt(struct steal_collection *collection,
                                  struct worker_tasks *worker_tasks, unsigned halt)
{
    return halt & HALT_CANCEL ? worker_tasks_pop(worker_tasks, &collection->properties) : 0;
}

/* If tasks are small, calls are a large part of what they cost: the functions above are inlined. */
__attribute__((flatten)) uint32_t worker_tasks_work(struct steal_collection *collection,
                                                    struct steal_worker *worker,
                                                    struct worker_tasks *worker_tasks)
{
    const unsigned halt = atomic_load_explicit(&collection->halt, memory_order_relaxed);
    uint32_t count;

    if (__builtin_expect(halt != 0, false))
        return worker_tasks_halt(collection, worker_tasks, halt);
    count = worker_tasks_pop(worker_tasks, &collection->properties);
    if (count > 0)
        worker_tasks_execute(collection, worker, worker_tasks, count);
    return count;
}

void steal_took(struct steal_worker *worker, size_t index, int64_t duration_ns)
{
    if (worker && worker->record)
        record_set_duration(worker->record, index, duration_ns);
}

void steal_forget(struct steal_worker *worker, size_t index)
{
    if (worker && worker->record)
        record_forget(worker->record, index);
}

void session_begin(struct worker_tasks *worker_tasks, struct steal_worker *worker, int64_t now_ns)
{
    activity_enter(&worker->activity, STEAL_STATE_SEARCHING, now_ns);
    worker_tasks->session_begin_ns = now_ns;
    worker_tasks->sessions++;
}

void session_end(struct worker_tasks *worker_tasks, struct steal_worker *worker,
                 enum steal_state next, int64_t now_ns)
{
    int64_t length_ns = now_ns - worker_tasks->session_begin_ns;

    activity_enter(&worker->activity, next, now_ns);
    worker_tasks->session_ns += length_ns;
    worker_tasks->session_max_ns = max_i64(worker_tasks->session_max_ns, length_ns);
    if (worker_tasks->report_data)
        spectrum_add(worker_tasks->report_data->sessions, length_ns);
}
