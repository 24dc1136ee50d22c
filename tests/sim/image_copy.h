/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ranks of one run have at a quiet moment, for those of another: as a checkpoint, without
 * a file. */
#ifndef JUGGLE_TESTS_IMAGE_COPY_H
#define JUGGLE_TESTS_IMAGE_COPY_H

#include "libjuggle/steal/runtime/image.h"

struct image_copy {
    struct snapshot snapshot;
    unsigned char *records[PART_COUNT];
    uint64_t next[PART_COUNT]; /* to be copied */
};

/* Of the collections of all ranks, by rank. NULL if all is well, otherwise what is wrong. */
const char *image_copy_take(struct image_copy *copy, struct steal_collection *const *collection,
                            int ranks);

/* To a rank that has nothing. */
const char *image_copy_put(const struct image_copy *copy, struct steal_collection *collection,
                           int rank, int ranks);

void image_copy_free(struct image_copy *copy);

#endif
