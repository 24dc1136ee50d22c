/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checkpoint that a collection keeps: one file for all ranks. Each rank writes its records at
 * places of its own, which a sum over all ranks tells; rank 0 makes the file, and gives it its name
 * when all of it is on the disk.
 */
#ifndef JUGGLE_STEAL_RUNTIME_CHECKPOINT_H
#define JUGGLE_STEAL_RUNTIME_CHECKPOINT_H

#include "libjuggle/steal/runtime/collection.h"
#include "libjuggle/steal/runtime/image.h"

#include <stdlib.h>

struct checkpoint {
    char *path;
    int64_t every_ns; /* 0: not while tasks run */
    int64_t due_ns;   /* when it is to be written next; INT64_MAX: not while tasks run */
    int64_t took_ns;  /* to write it last */
    int64_t saved_ns; /* when it was */
    bool ended;       /* the file is of a process that was done, or of a later one */
    struct image_data data;
};

/* Accepts NULL. */
static inline void checkpoint_close(struct checkpoint *checkpoint)
{
    if (checkpoint)
        free(checkpoint->path);
    free(checkpoint);
}

/* The time until the next one begins. */
static inline void checkpoint_wind(struct checkpoint *checkpoint, int64_t now_ns)
{
    const bool wanted = checkpoint->every_ns > 0 && checkpoint->every_ns < INT64_MAX - now_ns;

    checkpoint->due_ns = wanted ? now_ns + checkpoint->every_ns : INT64_MAX;
}

/* Of a collection without one: says once that the user's wish for one comes to nothing. */
void checkpoint_miss(const struct steal_collection *collection);

/* Collective, at a quiet moment, of a collection that has a checkpoint. -errno on all ranks, with
 * the file as it was. */
int checkpoint_save(struct steal_collection *collection) MUST_CHECK;

/* The same when all is done, unless this is not the first process that is, nobody has asked for it,
 * and saving would take too much of the time. */
int checkpoint_save_last(struct steal_collection *collection) MUST_CHECK;

/* Collective, of a collection that has nothing yet: takes what the file holds, and 1 is returned; 0
 * if there is none; -errno on all ranks. */
int checkpoint_load(struct steal_collection *collection,
                    const struct checkpoint *checkpoint) MUST_CHECK;

#endif
