/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checkpoint that a collection keeps: one file for all ranks. Each rank writes its records at
 * its own offsets, which a sum over all ranks yields. Rank 0 creates the file, and renames it to
 * its path when all of it is on the disk.
 */
#ifndef JUGGLE_STEAL_RUNTIME_CHECKPOINT_H
#define JUGGLE_STEAL_RUNTIME_CHECKPOINT_H

#include "libjuggle/steal/runtime/collection.h"
#include "libjuggle/steal/runtime/image.h"

#include <stdlib.h>

struct checkpoint {
    char *path;
    int64_t every_ns; /* 0: only when the process stops or is done */
    int64_t due_ns;  /* when it is to be written next; INT64_MAX: not before the process stops or is
                        done */
    int64_t took_ns; /* duration of the last save */
    int64_t saved_ns; /* time of the last save */
    bool ended;       /* the file was saved when a process was done, or later */
    struct image_data data;
};

/* Accepts NULL. */
static inline void checkpoint_close(struct checkpoint *checkpoint)
{
    if (checkpoint)
        free(checkpoint->path);
    free(checkpoint);
}

/* Sets the time of the next save. */
static inline void checkpoint_schedule(struct checkpoint *checkpoint, int64_t now_ns)
{
    const bool wanted = checkpoint->every_ns > 0 && checkpoint->every_ns < INT64_MAX - now_ns;

    checkpoint->due_ns = wanted ? now_ns + checkpoint->every_ns : INT64_MAX;
}

/* For a collection without a checkpoint: tells the user, once, that JUGGLE_STEAL=checkpoint has no
 * effect. */
void checkpoint_warn_unused(const struct steal_collection *collection);

/* Collective, when no task runs and no message is under way, for a collection with a checkpoint:
 * writes the file. -errno on all ranks; the file is then as it was. */
int checkpoint_save(struct steal_collection *collection) MUST_CHECK;

/* Like checkpoint_save(), when all is done. Skips it if all of this is true: an earlier process has
 * saved when it was done, `every_ns` is set, no save was requested, and saving would take too much
 * of the time. */
int checkpoint_save_last(struct steal_collection *collection) MUST_CHECK;

/* Collective, for an empty collection: loads the file. Returns 1; 0 if there is no file; -errno on
 * all ranks. */
int checkpoint_load(struct steal_collection *collection,
                    const struct checkpoint *checkpoint) MUST_CHECK;

#endif
