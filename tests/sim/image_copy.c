/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/image_copy.h"

#include <stdlib.h>
#include <string.h>

static const struct image_data no_data = {NULL, 0};

struct copying {
    struct image_copy *copy;
    enum snapshot_part part;
};

static int take(void *context, const unsigned char *records, uint64_t count)
{
    const struct copying *copying = context;
    struct image_copy *copy = copying->copy;
    const size_t size = snapshot_record_size(&copy->snapshot, copying->part);

    memcpy(copy->records[copying->part] + copy->next[copying->part] * size, records, count * size);
    copy->next[copying->part] += count;
    return 0;
}

const char *image_copy_take(struct image_copy *copy, struct steal_collection *const *collection,
                            int ranks)
{
    uint64_t own[PART_COUNT];
    int result = 0;

    memset(copy, 0, sizeof(*copy));
    image_layout(collection[0], &no_data, &copy->snapshot);
    for (int rank = 0; rank < ranks; rank++) {
        image_count(collection[rank], &no_data, own);
        for (int part = 0; part < PART_COUNT; part++)
            copy->snapshot.records[part] += own[part];
    }
    for (int part = 0; part < PART_COUNT; part++) {
        struct copying copying = {copy, (enum snapshot_part)part};

        copy->records[part] = malloc(
            copy->snapshot.records[part] * snapshot_record_size(&copy->snapshot, copying.part) + 1);
        for (int rank = 0; rank < ranks && result == 0; rank++)
            result = image_each(collection[rank], &no_data, &copy->snapshot, copying.part, take,
                                &copying);
        if (result < 0 || copy->next[part] != copy->snapshot.records[part])
            return "a part has other records than it counts";
    }
    return NULL;
}

const char *image_copy_put(const struct image_copy *copy, struct steal_collection *collection,
                           int rank, int ranks)
{
    for (int i = 0; i < PART_COUNT; i++) {
        const enum snapshot_part part = (enum snapshot_part)i;
        const struct image_slice slice = image_slice(&copy->snapshot, part, rank, ranks);
        const size_t size = snapshot_record_size(&copy->snapshot, part);

        if (slice.first < slice.end &&
            image_put(collection, &no_data, &copy->snapshot, part, 0,
                      copy->records[part] + slice.first * size, slice.end - slice.first) < 0)
            return "a part could not be put";
    }
    collection->stopped = true;
    return NULL;
}

void image_copy_free(struct image_copy *copy)
{
    for (int part = 0; part < PART_COUNT; part++)
        free(copy->records[part]);
}
