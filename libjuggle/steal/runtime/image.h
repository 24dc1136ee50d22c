/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank has of a collection at a quiet moment, as records of a checkpoint: read without
 * changing anything, or put into a collection that has nothing yet. A moment is quiet when no task
 * runs on any rank and no message is under way.
 */
#ifndef JUGGLE_STEAL_RUNTIME_IMAGE_H
#define JUGGLE_STEAL_RUNTIME_IMAGE_H

#include "libjuggle/steal/placement/snapshot.h"
#include "libjuggle/steal/runtime/collection.h"

/* The program's data that goes along. */
struct image_data {
    unsigned char *bytes;
    size_t size;
};

/* The layout of the collection's checkpoints. */
void image_layout(const struct steal_collection *collection, const struct image_data *data,
                  struct snapshot *snapshot);

/* How many records of each part this rank has. */
void image_count(const struct steal_collection *collection, const struct image_data *data,
                 uint64_t records[PART_COUNT]);

/* Gives all of them to the sink, a few at a time, in their order. Only rank 0 has a shelf, and data
 * that counts. */
typedef int image_sink(void *context, const unsigned char *records, uint64_t count);
int image_each(const struct steal_collection *collection, const struct image_data *data,
               const struct snapshot *snapshot, enum snapshot_part part, image_sink *sink,
               void *context) MUST_CHECK;

/* Which records a rank takes: from `first` up to `end`. The shelf is rank 0's, the data is for all,
 * the rest is shared out. */
struct image_slice {
    uint64_t first, end;
};
struct image_slice image_slice(const struct snapshot *snapshot, enum snapshot_part part, int rank,
                               int ranks);

/* Puts `count` records into the collection, which begin `place` records behind the first one that
 * this rank takes. Of the shelf and the data all come at once. On failure it holds a part. */
int image_put(struct steal_collection *collection, const struct image_data *data,
              const struct snapshot *snapshot, enum snapshot_part part, uint64_t place,
              const unsigned char *records, uint64_t count) MUST_CHECK;

/* Tasks of the collection that this rank holds, but for those that wait. */
int64_t image_held(const struct steal_collection *collection);

/* Whether it holds some, or notes of some that wait. */
bool image_has_tasks(const struct steal_collection *collection);

/* Drops tasks, but for those that wait. */
void image_clear_tasks(struct steal_collection *collection);

/* Drops tasks, those that wait and those retained, and results that wait, and makes the storage
 * what it was at first. */
void image_clear(struct steal_collection *collection);

#endif
