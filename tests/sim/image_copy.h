/* SPDX-License-Identifier: BSD-3-Clause */
/* A copy of the collections of all ranks at a quiet moment, from which other ranks go on: a
 * checkpoint without a file. */
#ifndef JUGGLE_TESTS_IMAGE_COPY_H
#define JUGGLE_TESTS_IMAGE_COPY_H

#include "libjuggle/steal/runtime/image.h"

struct image_copy {
    struct snapshot snapshot;
    unsigned char *records[PART_COUNT];
    uint64_t next[PART_COUNT]; /* number of records copied so far */
};

/* Copies the collections of all ranks, given by rank. Returns NULL if all is well, otherwise a text
 * that says what is wrong. image_copy_free() is to be called in both cases. */
const char *image_copy_take(struct image_copy *copy, struct steal_collection *const *collection,
                            int ranks);

/* Puts the share of `rank`, one of `ranks` ranks, into its collection, which must be empty. Returns
 * NULL, or a text that says what is wrong. */
const char *image_copy_put(const struct image_copy *copy, struct steal_collection *collection,
                           int rank, int ranks);

void image_copy_free(struct image_copy *copy);

#endif
