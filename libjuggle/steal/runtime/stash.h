/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that arrived when the deque was full, kept until it is empty. */
#ifndef JUGGLE_STEAL_RUNTIME_STASH_H
#define JUGGLE_STEAL_RUNTIME_STASH_H

#include "libjuggle/ground/units.h"

#include <stddef.h>
#include <stdint.h>

/* One arrival; the latest stands first. */
struct stash {
    struct stash *next;
    uint32_t count;
    int tier; /* where they belong; -1: to no tier */
    unsigned char tasks[];
};

int stash_add(struct stash **stash, int tier, const void *tasks, uint32_t count,
              size_t stride) MUST_CHECK;

/* Drops the first `count` tasks of the first arrival, and the arrival once it is empty. */
void stash_drop(struct stash **stash, uint32_t count, size_t stride);

#endif
