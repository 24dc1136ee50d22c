/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes children of several parents at once, one parent per vector lane: one table per instruction
 * set. */
#ifndef JUGGLE_UTS_HASHER_H
#define JUGGLE_UTS_HASHER_H

#include "libjuggle/ground/units.h"
#include "tools/uts/sha1.h"

#include <stdbool.h>

enum {
    HASH_LANES_MAX = 32,
    HASH_PARENTS_MAX = 1024,
    /* Columns a power of two apart would all compete for the same few lines of the cache. */
    HASH_COLUMN = HASH_PARENTS_MAX + HASH_LANES_MAX,
    HASH_PLACES = 64, /* children that are hashed at once: HASH_PLACES / lanes of each parent */
    HASH_ALIGNMENT = 128,
};

/* A node's random value is the last word of its state but for the top bit. */
#define HASH_VALUE_MASK UINT32_C(0x7fffffff)

/* Parents whose children are to be hashed, as columns: any `lanes` neighbours fill a vector. */
struct hash_parents {
    uint32_t state[SHA1_WORDS][HASH_COLUMN];
    /* A child's rank is its random value XOR flip (see tree.h); it has children if that is above
     * limit. */
    uint32_t flip[HASH_COLUMN];
    int32_t limit[HASH_COLUMN];
} __attribute__((aligned(HASH_ALIGNMENT)));

/* What all children of `lanes` parents have in common; the hasher's own. */
struct hash_common {
    uint32_t schedule[SHA1_ROUNDS * HASH_LANES_MAX];
    uint32_t working[SHA1_WORDS * HASH_LANES_MAX];
    uint32_t flip[HASH_LANES_MAX];
    int32_t limit[HASH_LANES_MAX];
} __attribute__((aligned(HASH_ALIGNMENT)));

/* Some children: the one in place c * lanes + l is child c, counted from the first hashed, of lane
 * l's parent. */
struct hash_children {
    uint32_t state[SHA1_WORDS][HASH_PLACES];
    uint32_t rank[HASH_PLACES];
    uint64_t fertile; /* bit p: the child in place p has children itself */
} __attribute__((aligned(HASH_ALIGNMENT)));

/* The schedule of a message that is zero but for a child's index. It enters a child's own schedule
 * by XOR, so that the parent's is computed once for all of its children. */
struct hash_index {
    uint32_t words[SHA1_ROUNDS];
};

struct hasher {
    const char *name;
    int lanes;
    /* For the parents from `first` on, a multiple of `lanes`; columns may be filled less far. */
    void (*prepare)(const struct hash_parents *parents, int first, struct hash_common *common);
    /* Hashes `count` children of each parent, HASH_PLACES / lanes at most, whose rows begin at
     * `index`. */
    void (*digest)(const struct hash_common *common, const struct hash_index *index, int count,
                   struct hash_children *children);
};

void hash_index_fill(struct hash_index *index, uint32_t child);

/* True if no child's index reaches word t of its schedule: a digest may count on the parent's word.
 * The recurrence of the schedule says so for t - 3, t - 8, t - 14 and t - 16 from word 5 on. */
static inline bool hash_index_absent(int t)
{
    return (t <= 18 && t != SHA1_INDEX) || t == 20 || t == 23 || t == 26;
}

/* The hasher called `name`, or the best usable one for "auto". -ENOENT if this build has none of
 * that name, -ENOTSUP if this processor cannot run it. */
int hasher_find(const char *name, const struct hasher **hasher) MUST_CHECK;

#endif
