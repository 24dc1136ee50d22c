/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A checkpoint in a file: the state of a collection at a moment when no task runs and no message is
 * under way, to be loaded by any number of ranks. Numbers are little-endian on all machines; tasks,
 * storage and the program's data are copies of memory, which only a machine of the same byte order
 * can use.
 *
 *     bytes 0   "JUGGLECP", then the version (4 bytes) and the byte order: 1 little, 2 big (4)
 *           16  the sum of all that follows the header (8), the digest of the header's other bytes
 *               (8)
 *           32  the name of the function that executes the tasks, padded with zeros (64)
 *           96  the layout, the state, and how many records each part has: 8 bytes each
 *          232  the parts, one after the other, each of records of one size
 *
 *     task, kept  its tier, -1 for none (4), 0 (4); with `retain` its expected duration (8),
 *                 how often it ran (4), its flags (4); then its bytes, padded to 8
 *     counter     its number (8), its count (8), whether a task waits for it (8), the task's bytes
 *     storage     the storage of a worker, padded to 8
 *     shelf       results that wait for others with lesser numbers, as words of 8 bytes
 *     data        the program's data, as words of 8 bytes
 *
 * The sum adds up the digests of all records; each digest includes the record's part and index. So
 * the ranks can add up the sums of the records that they write or read, whichever rank has which
 * record.
 */
#ifndef JUGGLE_STEAL_PLACEMENT_SNAPSHOT_H
#define JUGGLE_STEAL_PLACEMENT_SNAPSHOT_H

#include "libjuggle/steal/placement/history.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers that must be equal when a run resumes. */
enum snapshot_layout {
    LAYOUT_TASK_SIZE,
    LAYOUT_RETAIN,
    LAYOUT_LEVELS,
    LAYOUT_WEIGHTED,
    LAYOUT_WAITING,
    LAYOUT_STORAGE,
    LAYOUT_BOUND,
    LAYOUT_DATA,
    LAYOUT_COUNT
};

enum snapshot_state {
    STATE_BOUND,          /* the best value so far, of the collection's kind */
    STATE_RESULT,         /* the number of the next result */
    STATE_RESULTS_LENGTH, /* length of the results file, in bytes */
    STATE_COUNT
};

enum snapshot_part {
    PART_TASKS,
    PART_KEPT, /* executed and retained tasks */
    PART_COUNTERS,
    PART_STORAGES,
    PART_SHELF,
    PART_DATA,
    PART_COUNT
};

enum {
    SNAPSHOT_NUMBERS_AT = 96,
    SNAPSHOT_HEADER_SIZE = SNAPSHOT_NUMBERS_AT + 8 * (LAYOUT_COUNT + STATE_COUNT + PART_COUNT),
    SNAPSHOT_WORD = 8,
};

struct snapshot {
    uint64_t layout[LAYOUT_COUNT];
    uint64_t state[STATE_COUNT];
    uint64_t records[PART_COUNT];
    uint64_t sum;
};

/* Bytes of a record of that part. */
size_t snapshot_record_size(const struct snapshot *snapshot, enum snapshot_part part);

/* Writes or reads the head of a task's record; returns where the bytes of the task are. `history`
 * is NULL if tasks have none. */
unsigned char *snapshot_put_task(unsigned char *record, int tier, const struct history *history);
const unsigned char *snapshot_get_task(const unsigned char *record, int *tier,
                                       struct history *history);

/* The same for a counter and the task that waits for it. */
struct snapshot_counter {
    uint64_t id;
    int64_t count;
    bool has_task;
};
unsigned char *snapshot_put_counter(unsigned char *record, const struct snapshot_counter *counter);
const unsigned char *snapshot_get_counter(const unsigned char *record,
                                          struct snapshot_counter *counter);

/* Returns the offset of a record of that part in the file. The offset of the index behind the last
 * one is the end of the part. */
uint64_t snapshot_offset(const struct snapshot *snapshot, enum snapshot_part part, uint64_t index);

/* Bytes of the whole file. */
uint64_t snapshot_size(const struct snapshot *snapshot);

/* Returns what `count` records from index `first` on add to the sum. */
uint64_t snapshot_sum(const struct snapshot *snapshot, enum snapshot_part part, uint64_t first,
                      const unsigned char *records, uint64_t count);

void snapshot_put(const struct snapshot *snapshot, const char *name,
                  unsigned char header[SNAPSHOT_HEADER_SIZE]);

/* Checks the first bytes of a file of that size, up to a header's. Returns NULL if they are the
 * header of a checkpoint of a collection with that name and layout, of a machine with the same byte
 * order; otherwise what is wrong. The bytes behind the header are not checked. */
const char *snapshot_check(const unsigned char *header, uint64_t file_size, const char *name,
                           const uint64_t layout[LAYOUT_COUNT], struct snapshot *snapshot);

#endif
