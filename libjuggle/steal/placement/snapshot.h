/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A checkpoint in a file: what is left of a collection at a quiet moment, for any number of ranks.
 * Numbers are little-endian on all machines; tasks, storage and the program's data are bytes as
 * they lay in memory, which only a machine of the same byte order understands.
 *
 *     bytes 0   "JUGGLECP", then the version (4 bytes) and the byte order: 1 little, 2 big (4)
 *           16  the sum of all that follows the header (8), the digest of the header's other bytes
 *               (8)
 *           32  the name of the function that executes the tasks, padded with zeros (64)
 *           96  the layout, the state, and how many records each part has: 8 bytes each
 *          232  the parts, one after the other, each of records of one size
 *
 *     task, kept  its tier, -1 for none (4), 0 (4); with `retain` what it is expected to take (8),
 *                 how often it ran (4), its flags (4); then its bytes, padded to 8
 *     counter     its number (8), its count (8), whether a task waits for it (8), the task's bytes
 *     storage     that of a worker, padded to 8
 *     shelf       results that wait for others with lesser numbers, as words of 8 bytes
 *     data        of the program, as words of 8 bytes
 *
 * The sum is of the digests of all records, each with its part and place: ranks add up what they
 * write or read, and it does not matter who has which record.
 */
#ifndef JUGGLE_STEAL_PLACEMENT_SNAPSHOT_H
#define JUGGLE_STEAL_PLACEMENT_SNAPSHOT_H

#include "libjuggle/steal/placement/history.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What must be the same when a run resumes. */
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
    STATE_RESULT,         /* the number of the result that comes next */
    STATE_RESULTS_LENGTH, /* bytes of the file of results */
    STATE_COUNT
};

enum snapshot_part {
    PART_TASKS,
    PART_KEPT, /* executed, and to be restored */
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

/* What stands before the bytes of a task; returns where these are. `history` is NULL where tasks
 * have none. */
unsigned char *snapshot_put_task(unsigned char *record, int tier, const struct history *history);
const unsigned char *snapshot_get_task(const unsigned char *record, int *tier,
                                       struct history *history);

/* The same of a counter and the task that waits for it. */
struct snapshot_counter {
    uint64_t id;
    int64_t count;
    bool has_task;
};
unsigned char *snapshot_put_counter(unsigned char *record, const struct snapshot_counter *counter);
const unsigned char *snapshot_get_counter(const unsigned char *record,
                                          struct snapshot_counter *counter);

/* Where a record of that part lies in the file; that behind the last one is the part's end. */
uint64_t snapshot_offset(const struct snapshot *snapshot, enum snapshot_part part, uint64_t index);

/* Bytes of the whole file. */
uint64_t snapshot_size(const struct snapshot *snapshot);

/* What `count` records add to the sum. */
uint64_t snapshot_sum(const struct snapshot *snapshot, enum snapshot_part part, uint64_t first,
                      const unsigned char *records, uint64_t count);

void snapshot_put(const struct snapshot *snapshot, const char *name,
                  unsigned char header[SNAPSHOT_HEADER_SIZE]);

/* NULL if the first bytes of a file of that size, up to a header's, are the checkpoint of such a
 * collection, whose name and layout are wanted, of a machine like this one; or else what is wrong
 * with it. What follows the header is not looked at. */
const char *snapshot_check(const unsigned char *header, uint64_t file_size, const char *name,
                           const uint64_t layout[LAYOUT_COUNT], struct snapshot *snapshot);

#endif
