/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/record.h"

#include "libjuggle/steal/deque/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool record_wanted(const struct steal_properties *properties)
{
    return properties->retain != STEAL_RETENTION_NONE;
}

size_t record_task_stride(const struct steal_properties *properties)
{
    return (properties->task_size + STEAL_TASK_ALIGN - 1) / STEAL_TASK_ALIGN * STEAL_TASK_ALIGN;
}

size_t record_stride(const struct steal_properties *properties)
{
    return record_task_stride(properties) +
           (record_wanted(properties) ? sizeof(struct history) : 0);
}

/* ---- life ---------------------------------------------------------------------------------- */

static unsigned resolution_of(size_t bins)
{
    return 63 - (unsigned)__builtin_clzll(bins);
}

void record_init(struct record *record, const struct steal_properties *properties, int workers)
{
    record->properties = properties;
    record->memory_size = properties->memory_max * (size_t)workers;
}

int record_open(struct record *record)
{
    const struct steal_properties *properties = record->properties;
    const unsigned resolution = resolution_of(properties->bins);
    const size_t task_stride = record_task_stride(properties);
    uint32_t *bins;
    void *memory;

    if (record->ledger.entries)
        return 0;
    bins = calloc(bins_count(resolution), sizeof(*bins));
    memory = memory_reserve(record->memory_size);
    record->took_ns = calloc(properties->batch, sizeof(*record->took_ns));
    record->forget = calloc(properties->batch, sizeof(*record->forget));
    record->batch = aligned_alloc(64, (properties->batch * task_stride + 63) / 64 * 64);
    if (!bins || !memory || !record->took_ns || !record->forget || !record->batch)
        goto fail;
    ledger_init(&record->ledger, memory, record->memory_size, record_stride(properties), bins,
                resolution);
    return 0;

fail:
    free(record->batch);
    free(record->forget);
    free(record->took_ns);
    memory_release(memory, record->memory_size);
    free(bins);
    record->batch = NULL;
    record->forget = NULL;
    record->took_ns = NULL;
    return -ENOMEM;
}

void record_close(struct record *record)
{
    free(record->batch);
    free(record->forget);
    free(record->took_ns);
    free(record->draft);
    memory_release(record->ledger.entries, record->memory_size);
    free(record->ledger.bin);
}

void *record_draft(struct record *record)
{
    if (!record->draft)
        record->draft = calloc(STEAL_BATCH_MAX, record_task_stride(record->properties));
    return record->draft;
}

void record_begin(struct record *record)
{
    if (!record->ledger.entries)
        return;
    ledger_clear(&record->ledger);
    record->full = false;
    record_go_on(record);
}

void record_go_on(struct record *record)
{
    record->clock = 0;
    record->load_ns = 0;
    record->error = (struct forecast_error){0};
}

/* ---- a batch ------------------------------------------------------------------------------- */

const void *record_flatten(struct record *record, const void *raw, uint32_t count)
{
    const size_t stride = record->ledger.stride;
    const size_t task_stride = stride - sizeof(struct history);

    for (uint32_t i = 0; i < count; i++)
        ledger_copy(record->batch + i * task_stride, (const char *)raw + i * stride, task_stride);
    return record->batch;
}

void record_set_duration(struct record *record, size_t index, int64_t took_ns)
{
    if (index >= record->executing || took_ns < 0)
        return;
    for (uint32_t i = 0; i < record->executing && record->durations_set == 0; i++)
        record->took_ns[i] = -1;
    record->durations_set += record->durations_set == 0 || record->took_ns[index] < 0;
    record->took_ns[index] = took_ns;
}

void record_forget(struct record *record, size_t index)
{
    if (index >= record->executing)
        return;
    if (record->forgotten++ == 0)
        memset(record->forget, 0, record->executing * sizeof(*record->forget));
    record->forget[index] = true;
}

/* Divides `left_ns` by weight between the tasks that did not tell how long they took. It is the
 * time of the batch without that of the others. */
static void share_by_weight(struct record *record, const void *raw, int64_t left_ns)
{
    const struct steal_properties *properties = record->properties;
    const uint32_t count = record->executing;
    double weight[STEAL_BATCH_MAX], sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        weight[i] = 0;
        if (record->durations_set > 0 && record->took_ns[i] >= 0)
            continue;
        weight[i] = 1;
        if (properties->weight)
            weight[i] = (double)max_i64(
                properties->weight(properties->local,
                                   (const char *)raw + i * record->ledger.stride),
                0);
        sum += weight[i];
    }
    for (uint32_t i = 0; i < count; i++)
        if (record->durations_set == 0 || record->took_ns[i] < 0) {
            record->took_ns[i] = sum > 0 ? (int64_t)((double)left_ns * (weight[i] / sum)) : 0;
            left_ns -= record->took_ns[i];
            sum -= weight[i];
        }
}

static int64_t durations_set_ns(const struct record *record)
{
    int64_t sum_ns = 0;

    for (uint32_t i = 0; i < record->executing && record->durations_set > 0; i++)
        sum_ns += max_i64(record->took_ns[i], 0);
    return sum_ns;
}

/* Whether the task is restored when its collection is. */
static bool task_stays(const struct record *record, const struct history *history, uint32_t index)
{
    if (record->forgotten > 0 && record->forget[index])
        return false;
    return record->properties->retain == STEAL_RETENTION_ALL || !(history->flags & HISTORY_NESTED);
}

/* The time of a batch in equal parts; the first ones get the remainder. */
struct shares {
    int64_t each_ns;
    uint32_t longer; /* this many take a nanosecond more */
};

static struct shares shares_equal(int64_t took_ns, uint32_t count)
{
    if (count == 1)
        return (struct shares){.each_ns = took_ns};
    return (struct shares){took_ns / count, (uint32_t)(took_ns % count)};
}

/* Updates the histories with the durations: equal shares, or `took_ns` of each task if `shares` is
 * NULL. Tasks that are to be kept move to the front; returns how many. */
static uint32_t batch_learn(struct record *record, unsigned char *raw, const struct shares *shares)
{
    const struct forecast_rule forecast = {record->properties->prediction,
                                           record->properties->alpha};
    const size_t stride = record->ledger.stride;
    struct forecast_error error = record->error;
    uint32_t staying = 0;

    for (uint32_t i = 0; i < record->executing; i++) {
        unsigned char *entry = raw + i * stride;
        struct history *history = ledger_history(stride, entry);

        history_learn(history, &forecast,
                      shares ? shares->each_ns + (i < shares->longer) : record->took_ns[i], &error);
        if (!task_stays(record, history, i))
            continue;
        if (staying < i)
            ledger_copy(raw + staying * stride, entry, stride);
        staying++;
    }
    record->error = error;
    return staying;
}

void record_finish(struct record *record, void *raw, int64_t took_ns)
{
    const uint32_t count = record->executing;
    const bool alike = record->durations_set == 0 && !record->properties->weight;
    const struct shares shares = shares_equal(took_ns, count);

    if (!alike) {
        const int64_t said_ns = durations_set_ns(record);

        share_by_weight(record, raw, max_i64(took_ns - said_ns, 0));
        took_ns = record->durations_set == count ? said_ns : max_i64(took_ns, said_ns);
    }
    const uint32_t staying = batch_learn(record, raw, alike ? &shares : NULL);
    if (ledger_append(&record->ledger, raw, staying) < staying)
        record->full = true;
    record->load_ns += took_ns;
    record->executing = 0;
}
