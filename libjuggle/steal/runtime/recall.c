/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/recall.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/broken.h"
#include "libjuggle/steal/runtime/sort_buffer.h"

#include <errno.h>
#include <stdlib.h>

/* Entries that are exchanged in one reduction, each as three numbers. */
enum { PORTION = 512, WORDS = 3 };

/* ---- what is known ------------------------------------------------------------------------- */

static uint64_t key_of(const struct steal_collection *collection, const void *task)
{
    return collection->properties.key(collection->properties.local, task);
}

static size_t gather_worker_tasks(const struct steal_collection *collection,
                                  const struct worker_tasks *worker_tasks,
                                  struct archive_entry *known)
{
    const struct ledger *ledger = &worker_tasks->record.ledger;

    for (uint32_t i = 0; i < ledger->count; i++) {
        const struct history *history = ledger_history_at(ledger, i);

        known[i] = (struct archive_entry){
            .key = key_of(collection, ledger_entry(ledger, i)),
            .predicted_ns = history->predicted_ns,
            .runs = history->runs,
            .rank = (uint32_t)steal_rank(collection->runtime),
        };
    }
    return ledger->count;
}

int recall_gather(struct steal_collection *collection, struct archive_entry **out, size_t *count)
{
    struct archive_entry *known;
    size_t most = 0, gathered = 0;

    for (int i = 0; i < collection->worker_tasks_length; i++)
        most += collection->worker_tasks[i].record.ledger.count;
    known = malloc((most + 1) * sizeof(*known));
    if (!known)
        return runtime_fail(collection->runtime, -ENOMEM, "no memory for the keys of %zu tasks",
                            most);
    for (int i = 0; i < collection->worker_tasks_length; i++)
        gathered += gather_worker_tasks(collection, &collection->worker_tasks[i], known + gathered);
    *out = known;
    *count = gathered;
    return 0;
}

/* ---- tasks that never ran ------------------------------------------------------------------ */

/* The keys of this rank's tasks that never ran, and what was received for them: a hash table with
 * open addressing, at most half full. */
struct tasks_without_history {
    struct wanted_history {
        uint64_t key;
        int64_t predicted_ns;
        uint32_t runs; /* 0: nothing was received */
        bool taken;
    } * wanted;
    size_t mask;
};

/* The slot of the key, or the free one where it would be. */
static struct wanted_history *wanted_history_of(const struct tasks_without_history *tasks,
                                                uint64_t key)
{
    size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & tasks->mask;

    while (tasks->wanted[slot].taken && tasks->wanted[slot].key != key)
        slot = (slot + 1) & tasks->mask;
    return &tasks->wanted[slot];
}

static int tasks_without_history_open(struct tasks_without_history *tasks,
                                      const struct steal_collection *collection,
                                      const struct ledger *sort_buffer)
{
    size_t slots = 2;

    while (slots < 2 * (size_t)(sort_buffer->count - sort_buffer->known) + 2)
        slots *= 2;
    *tasks = (struct tasks_without_history){calloc(slots, sizeof(*tasks->wanted)), slots - 1};
    if (!tasks->wanted)
        return runtime_fail(collection->runtime, -ENOMEM, "no memory for the keys of %u tasks",
                            sort_buffer->count - sort_buffer->known);
    for (uint32_t i = 0; i < sort_buffer->count; i++) {
        if (ledger_history_at(sort_buffer, i)->runs > 0)
            continue;
        const uint64_t key = key_of(collection, ledger_entry(sort_buffer, i));

        *wanted_history_of(tasks, key) = (struct wanted_history){.key = key, .taken = true};
    }
    return 0;
}

static void tasks_without_history_receive(struct tasks_without_history *tasks, uint64_t key,
                                          int64_t predicted_ns, int64_t runs)
{
    struct wanted_history *wanted = wanted_history_of(tasks, key);

    if (!wanted->taken)
        return;
    wanted->predicted_ns = predicted_ns;
    wanted->runs = (uint32_t)clamp_i64(runs, 1, UINT16_MAX);
}

/* Gives what was received to the tasks, of which several may have the same key. */
static void tasks_without_history_update(const struct tasks_without_history *tasks,
                                         const struct steal_collection *collection,
                                         struct ledger *sort_buffer)
{
    for (uint32_t i = 0; i < sort_buffer->count; i++) {
        void *entry = ledger_entry(sort_buffer, i);
        struct history *history = ledger_history(sort_buffer->stride, entry);

        if (history->runs > 0)
            continue;
        const struct wanted_history *wanted = wanted_history_of(tasks, key_of(collection, entry));

        if (wanted->runs == 0)
            continue;
        history->predicted_ns = wanted->predicted_ns;
        history->runs = wanted->runs;
    }
}

/* ---- the exchange -------------------------------------------------------------------------- */

/* Exchanges one portion: each rank puts in its own entries of it and zeros for others, so that the
 * sum over the ranks has all entries. */
static int exchange_portion(struct steal_runtime *runtime, struct tasks_without_history *tasks,
                            const struct archive_entry *known, int64_t begin, int64_t end,
                            int64_t first, int64_t count)
{
    int64_t words[PORTION * WORDS];
    int result;

    for (int64_t i = 0; i < count; i++) {
        const bool own = first + i >= begin && first + i < end;
        const struct archive_entry *entry = own ? &known[first + i - begin] : NULL;

        words[WORDS * i] = entry ? (int64_t)entry->key : 0;
        words[WORDS * i + 1] = entry ? entry->predicted_ns : 0;
        words[WORDS * i + 2] = entry ? entry->runs : 0;
    }
    result = ranks_sum(runtime, words, (size_t)(WORDS * count));
    for (int64_t i = 0; i < count && result == 0; i++)
        tasks_without_history_receive(tasks, (uint64_t)words[WORDS * i], words[WORDS * i + 1],
                                      words[WORDS * i + 2]);
    return result;
}

static int exchange_all(struct steal_collection *collection, struct tasks_without_history *tasks,
                        const struct archive_entry *known, size_t count)
{
    struct steal_runtime *runtime = collection->runtime;
    int64_t begin = 0, total = (int64_t)count;
    int result = ranks_scan(runtime, &total, 1, &begin);

    for (int64_t first = 0; first < total && result == 0; first += PORTION)
        result = exchange_portion(runtime, tasks, known, begin, begin + (int64_t)count, first,
                                  min_i64(PORTION, total - first));
    return result;
}

int recall_exchange(struct steal_collection *collection, const struct archive_entry *known,
                    size_t count)
{
    struct ledger *sort_buffer = NULL;
    struct tasks_without_history tasks;
    int placed, result;

    result = ranks_succeed(collection->runtime, sort_buffer_open(collection, &sort_buffer));
    if (result < 0)
        return result;
    collection->processed = false;
    collection->recorded = false;
    ledger_clear(sort_buffer);
    sort_buffer_clear_deques(collection, sort_buffer);
    result = ranks_succeed(collection->runtime,
                           tasks_without_history_open(&tasks, collection, sort_buffer));
    if (result == 0)
        result = exchange_all(collection, &tasks, known, count);
    if (result == 0)
        tasks_without_history_update(&tasks, collection, sort_buffer);
    free(tasks.wanted);
    placed = sort_buffer_place(collection, sort_buffer, true);
    return result < 0 ? result : broken_share(collection->runtime, placed);
}

int recall_executed(struct steal_collection *collection)
{
    struct archive_entry *known = NULL;
    int64_t left = collection->processed;
    size_t count = 0;
    int result;

    if (!collection->properties.key)
        return 0;
    result = ranks_max(collection->runtime, &left, 1);
    if (result < 0 || left == 0)
        return result;
    result = collection->processed ? recall_gather(collection, &known, &count) : 0;
    result = ranks_succeed(collection->runtime, result);
    if (result == 0)
        result = recall_exchange(collection, known, count);
    free(known);
    return result;
}
