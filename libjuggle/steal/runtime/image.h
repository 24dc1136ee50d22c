/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's part of a collection, as records of a checkpoint. The records are read from a collection
 * at a quiet moment, which leaves it unchanged, or put into a collection that is still empty. A
 * moment is quiet when no task runs on any rank and no message is under way.
 */
#ifndef JUGGLE_STEAL_RUNTIME_IMAGE_H
#define JUGGLE_STEAL_RUNTIME_IMAGE_H

#include "libjuggle/steal/placement/snapshot.h"
#include "libjuggle/steal/runtime/collection.h"

/* The program's own data, which is saved with the collection. */
struct image_data {
    unsigned char *bytes;
    size_t size;
};

/* Sets `snapshot` to the layout of the collection's checkpoints; its other fields become zero. */
void image_layout(const struct steal_collection *collection, const struct image_data *data,
                  struct snapshot *snapshot);

/* How many records of each part this rank has. */
void image_count(const struct steal_collection *collection, const struct image_data *data,
                 uint64_t records[PART_COUNT]);

/* Gives all records of a part that this rank has to the sink, one or more at a time, in the order
 * in which they are saved. Only rank 0 has records of the shelf and of the data. Returns 0, the
 * sink's first failure, -ENOMEM, -EPROTO if a check of a deque failed, or -errno if results cannot
 * be read back from their file. */
typedef int image_sink(void *context, const unsigned char *records, uint64_t count);
int image_each(const struct steal_collection *collection, const struct image_data *data,
               const struct snapshot *snapshot, enum snapshot_part part, image_sink *sink,
               void *context) MUST_CHECK;

/* The records of a part that a rank takes: from `first` up to, but without, `end`. Rank 0 takes the
 * whole shelf, every rank takes all of the data, and the records of other parts are divided
 * evenly. */
struct image_slice {
    uint64_t first, end;
};
struct image_slice image_slice(const struct snapshot *snapshot, enum snapshot_part part, int rank,
                               int ranks);

/* Puts `count` records into the collection, or those of the data into `data`. `place` counts the
 * records of this rank's slice before the first of them. For the shelf and for the data, one call
 * must have all records. After a failure the collection holds only some of the records. */
int image_put(struct steal_collection *collection, const struct image_data *data,
              const struct snapshot *snapshot, enum snapshot_part part, uint64_t place,
              const unsigned char *records, uint64_t count) MUST_CHECK;

/* Number of tasks of the collection that this rank holds, without those that wait for counters. */
int64_t image_held(const struct steal_collection *collection);

/* True if this rank holds tasks of the collection, or notes on counters that are not sent yet. */
bool image_has_tasks(const struct steal_collection *collection);

/* Drops this rank's tasks, except those that wait for counters. */
void image_clear_tasks(struct steal_collection *collection);

/* Drops this rank's tasks, also those that wait for counters and those retained, and its results
 * that are not delivered. Sets the storage to its initial contents. */
void image_clear(struct steal_collection *collection);

#endif
