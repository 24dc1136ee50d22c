/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes children of several parents at once, one parent per vector lane. There is a struct hasher
 * for each instruction set. */
#ifndef JUGGLE_UTS_HASHER_H
#define JUGGLE_UTS_HASHER_H

#include "libjuggle/ground/units.h"
#include "tools/uts/sha1.h"

#include <stdbool.h>

enum {
    HASH_LANES_MAX = 32,
    HASH_PARENTS_MAX = 1024,
    /* Columns at a distance of a power of two would all compete for the same few cache lines. */
    HASH_COLUMN = HASH_PARENTS_MAX + HASH_LANES_MAX,
    HASH_PLACES = 64, /* children that are hashed at once: HASH_PLACES / lanes of each parent */
    HASH_ALIGNMENT = 128,
};

/* A node's random value is the last word of its state without the top bit. */
#define HASH_VALUE_MASK UINT32_C(0x7fffffff)

/* Parents whose children are to be hashed, as columns: any `lanes` neighbours fill a vector. */
struct hash_parents {
    uint32_t state[SHA1_WORDS][HASH_COLUMN];
    /* A child's rank is its random value XOR flip (see tree.h); it has children if that is above
     * limit. */
    uint32_t flip[HASH_COLUMN];
    int32_t limit[HASH_COLUMN];
} __attribute__((aligned(HASH_ALIGNMENT)));

/* The part of the hash that all children of `lanes` parents share. Used by hashers only. */
struct hash_common {
    uint32_t schedule[SHA1_ROUNDS * HASH_LANES_MAX];
    uint32_t working[SHA1_WORDS * HASH_LANES_MAX];
    uint32_t flip[HASH_LANES_MAX];
    int32_t limit[HASH_LANES_MAX];
} __attribute__((aligned(HASH_ALIGNMENT)));

/* Hashed children: place c * lanes + l holds child c, counted from the first one hashed, of the
 * parent in lane l. */
struct hash_children {
    uint32_t state[SHA1_WORDS][HASH_PLACES];
    uint32_t rank[HASH_PLACES];
    uint64_t fertile; /* bit p: the child in place p has children itself */
} __attribute__((aligned(HASH_ALIGNMENT)));

/* The schedule of a message that is zero except for a child's index. A child's schedule is the XOR
 * of this and of its parent's, so that the parent's is computed once for all children. */
struct hash_index {
    uint32_t words[SHA1_ROUNDS];
};

struct hasher {
    const char *name;
    int lanes;
    /* Fills `common` for `lanes` parents from `first` on, a multiple of `lanes`. The last of their
     * columns may be unused. */
    void (*prepare)(const struct hash_parents *parents, int first, struct hash_common *common);
    /* Hashes `count` children of each parent, HASH_PLACES / lanes at most, whose rows begin at
     * `index`. */
    void (*digest)(const struct hash_common *common, const struct hash_index *index, int count,
                   struct hash_children *children);
};

void hash_index_fill(struct hash_index *index, uint32_t child);

/* True if word t of a child's schedule does not depend on the child's index, so that it equals the
 * parent's word. This follows from the recurrence of the schedule (words t - 3, t - 8, t - 14 and
 * t - 16) and the index in word 5. */
static inline bool hash_index_absent(int t)
{
    return (t <= 18 && t != SHA1_INDEX) || t == 20 || t == 23 || t == 26;
}

/* Finds the hasher called `name`, or the fastest usable one for "auto". Returns 0, -ENOENT if this
 * build has none of that name, or -ENOTSUP if this processor cannot run it. */
int hasher_find(const char *name, const struct hasher **hasher) MUST_CHECK;

#endif
