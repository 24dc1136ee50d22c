/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/snapshot.h"

#include "libjuggle/steal/placement/bytes.h"

#include <string.h>

enum {
    VERSION = 1,
    VERSION_AT = 8,
    ORDER_AT = 12,
    SUM_AT = 16,
    DIGEST_AT = 24,
    NAME_AT = 32,
    NAME_SIZE = 64
};

/* Offsets in records. */
enum {
    TIER_AT = 0,
    TASK_HEAD = 8,
    PREDICTED_AT = 0, /* in the history, which follows the head */
    RUNS_AT = 8,
    FLAGS_AT = 12,
    HISTORY_SIZE = 16,
    ID_AT = 0,
    COUNT_AT = 8,
    HAS_TASK_AT = 16,
    COUNTER_HEAD = 24
};

static const char magic[8] = "JUGGLECP";

static const char *const other_layout[LAYOUT_COUNT] = {
    [LAYOUT_TASK_SIZE] = "was saved with a different value of task_size",
    [LAYOUT_RETAIN] = "was saved with a different value of retain",
    [LAYOUT_LEVELS] = "was saved with a different value of levels",
    [LAYOUT_WEIGHTED] = "was saved with a different value of weighted",
    [LAYOUT_WAITING] = "was saved with a different value of waiting",
    [LAYOUT_STORAGE] = "was saved with a different value of storage",
    [LAYOUT_BOUND] = "was saved with a different value of bound",
    [LAYOUT_DATA] = "was saved with a different value of data_size",
};

static unsigned own_order(void)
{
    const uint32_t one = 1;

    return *(const unsigned char *)&one == 1 ? 1 : 2;
}

/* ---- sizes and offsets --------------------------------------------------------------------- */

static uint64_t padded(uint64_t size)
{
    return (size + 7) / 8 * 8;
}

size_t snapshot_record_size(const struct snapshot *snapshot, enum snapshot_part part)
{
    const size_t task = (size_t)padded(snapshot->layout[LAYOUT_TASK_SIZE]);

    switch (part) {
    case PART_TASKS:
    case PART_KEPT:
        return TASK_HEAD + (snapshot->layout[LAYOUT_RETAIN] ? HISTORY_SIZE : 0) + task;
    case PART_COUNTERS:
        return COUNTER_HEAD + task;
    case PART_STORAGES:
        return (size_t)padded(snapshot->layout[LAYOUT_STORAGE]);
    case PART_SHELF:
    case PART_DATA:
    case PART_COUNT:
        break;
    }
    return SNAPSHOT_WORD;
}

uint64_t snapshot_offset(const struct snapshot *snapshot, enum snapshot_part part, uint64_t index)
{
    uint64_t at = SNAPSHOT_HEADER_SIZE;

    for (int before = 0; before < (int)part; before++)
        at += snapshot->records[before] *
              snapshot_record_size(snapshot, (enum snapshot_part)before);
    return at + index * snapshot_record_size(snapshot, part);
}

uint64_t snapshot_size(const struct snapshot *snapshot)
{
    return snapshot_offset(snapshot, PART_COUNT, 0);
}

uint64_t snapshot_sum(const struct snapshot *snapshot, enum snapshot_part part, uint64_t first,
                      const unsigned char *records, uint64_t count)
{
    const size_t size = snapshot_record_size(snapshot, part);
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t place = (first + i) * PART_COUNT + (uint64_t)part + 1;

        sum += bytes_digest(place * UINT64_C(0x9e3779b97f4a7c15), records + i * size, size);
    }
    return sum;
}

/* ---- records ------------------------------------------------------------------------------- */

unsigned char *snapshot_put_task(unsigned char *record, int tier, const struct history *history)
{
    unsigned char *at = record + TASK_HEAD;

    bytes_put(record, 0, TASK_HEAD);
    bytes_put(record + TIER_AT, (uint32_t)tier, 4);
    if (!history)
        return at;
    bytes_put(at + PREDICTED_AT, (uint64_t)history->predicted_ns, 8);
    bytes_put(at + RUNS_AT, history->runs, 4);
    bytes_put(at + FLAGS_AT, history->flags, 4);
    return at + HISTORY_SIZE;
}

const unsigned char *snapshot_get_task(const unsigned char *record, int *tier,
                                       struct history *history)
{
    const unsigned char *at = record + TASK_HEAD;

    *tier = (int32_t)bytes_get(record + TIER_AT, 4);
    if (!history)
        return at;
    *history = (struct history){.predicted_ns = (int64_t)bytes_get(at + PREDICTED_AT, 8),
                                .runs = (uint16_t)bytes_get(at + RUNS_AT, 4),
                                .flags = (uint16_t)bytes_get(at + FLAGS_AT, 4)};
    return at + HISTORY_SIZE;
}

unsigned char *snapshot_put_counter(unsigned char *record, const struct snapshot_counter *counter)
{
    bytes_put(record + ID_AT, counter->id, 8);
    bytes_put(record + COUNT_AT, (uint64_t)counter->count, 8);
    bytes_put(record + HAS_TASK_AT, counter->has_task, 8);
    return record + COUNTER_HEAD;
}

const unsigned char *snapshot_get_counter(const unsigned char *record,
                                          struct snapshot_counter *counter)
{
    *counter = (struct snapshot_counter){.id = bytes_get(record + ID_AT, 8),
                                         .count = (int64_t)bytes_get(record + COUNT_AT, 8),
                                         .has_task = bytes_get(record + HAS_TASK_AT, 8) != 0};
    return record + COUNTER_HEAD;
}

/* ---- the header ---------------------------------------------------------------------------- */

/* Digest of the header without the eight bytes of the digest itself. */
static uint64_t header_digest(const unsigned char *header)
{
    return bytes_digest(bytes_digest(0, header, DIGEST_AT), header + NAME_AT,
                        SNAPSHOT_HEADER_SIZE - NAME_AT);
}

static unsigned char *numbers_put(unsigned char *at, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++, at += 8)
        bytes_put(at, numbers[i], 8);
    return at;
}

static const unsigned char *numbers_get(const unsigned char *at, uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++, at += 8)
        numbers[i] = bytes_get(at, 8);
    return at;
}

void snapshot_put(const struct snapshot *snapshot, const char *name,
                  unsigned char header[SNAPSHOT_HEADER_SIZE])
{
    unsigned char *at = header + SNAPSHOT_NUMBERS_AT;

    memcpy(header, magic, sizeof(magic));
    bytes_put(header + VERSION_AT, VERSION, 4);
    bytes_put(header + ORDER_AT, own_order(), 4);
    bytes_put(header + SUM_AT, snapshot->sum, 8);
    bytes_put_name(header + NAME_AT, name, NAME_SIZE);
    at = numbers_put(at, snapshot->layout, LAYOUT_COUNT);
    at = numbers_put(at, snapshot->state, STATE_COUNT);
    numbers_put(at, snapshot->records, PART_COUNT);
    bytes_put(header + DIGEST_AT, header_digest(header), 8);
}

/* Checks the size of the file. First checks that no part is larger than the file, so that sizes
 * cannot overflow. */
static bool has_size(const struct snapshot *snapshot, uint64_t file_size)
{
    for (int part = 0; part < PART_COUNT; part++) {
        const size_t size = snapshot_record_size(snapshot, (enum snapshot_part)part);

        if (size > 0 && snapshot->records[part] > file_size / size)
            return false;
    }
    return snapshot_size(snapshot) == file_size;
}

static const char *check_collection(const unsigned char *header, const char *name,
                                    const uint64_t *layout, const struct snapshot *snapshot)
{
    unsigned char own_name[NAME_SIZE];

    bytes_put_name(own_name, name, NAME_SIZE);
    if (memcmp(header + NAME_AT, own_name, sizeof(own_name)) != 0)
        return "is the checkpoint of tasks of another function";
    for (int i = 0; i < LAYOUT_COUNT; i++)
        if (snapshot->layout[i] != layout[i])
            return other_layout[i];
    return NULL;
}

const char *snapshot_check(const unsigned char *header, uint64_t file_size, const char *name,
                           const uint64_t layout[LAYOUT_COUNT], struct snapshot *snapshot)
{
    const unsigned char *at = header + SNAPSHOT_NUMBERS_AT;
    struct snapshot read;
    const char *wrong;

    if (file_size < sizeof(magic) || memcmp(header, magic, sizeof(magic)) != 0)
        return "is not a checkpoint";
    if (file_size < SNAPSHOT_HEADER_SIZE)
        return "is cut off";
    if (bytes_get(header + VERSION_AT, 4) != VERSION)
        return "is a checkpoint of another version";
    if (bytes_get(header + DIGEST_AT, 8) != header_digest(header))
        return "is damaged: its digest is wrong";
    if (bytes_get(header + ORDER_AT, 4) != own_order())
        return "was written on a machine of another byte order, as are the tasks in it";
    at = numbers_get(at, read.layout, LAYOUT_COUNT);
    at = numbers_get(at, read.state, STATE_COUNT);
    numbers_get(at, read.records, PART_COUNT);
    read.sum = bytes_get(header + SUM_AT, 8);
    wrong = check_collection(header, name, layout, &read);
    if (wrong)
        return wrong;
    if (!has_size(&read, file_size))
        return "is cut off, or has grown";
    *snapshot = read;
    return NULL;
}
