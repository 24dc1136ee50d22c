/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of an unbalanced tree, really expanded, as tasks of all virtual ranks. A task is an
 * inner node; its children are hashed together, and leaves only counted. */
#ifndef JUGGLE_STEAL_SIM_NODES_H
#define JUGGLE_STEAL_SIM_NODES_H

#include "libjuggle/ground/units.h"

#include <stddef.h>
#include <stdint.h>

enum { NODES_BATCH_MAX = 1024 }; /* that are expanded at once */

struct nodes;

struct nodes_census {
    int64_t nodes;
    int64_t leaves;
    int64_t depth;
};

/* Of the tree with that name: a published one, "binomial:B,M,Q,SEED" or "geometric:B,D,SEED" of
 * fixed shape. -EINVAL, *expected then says what would have been right; -ENOMEM. */
int nodes_open(const char *tree, struct nodes **nodes, const char **expected) MUST_CHECK;

/* Accepts NULL. */
void nodes_close(struct nodes *nodes);

/* Bytes of a task. */
size_t nodes_task_size(void);

/* What was expanded last is replaced by the root's children, or those of `count` tasks,
 * NODES_BATCH_MAX at most. -ENOMEM. */
int nodes_expand_root(struct nodes *nodes) MUST_CHECK;
int nodes_expand(struct nodes *nodes, const void *tasks, int count) MUST_CHECK;

/* Tasks that came of it. */
const void *nodes_found(const struct nodes *nodes, size_t *count);

/* All that were met so far. */
struct nodes_census nodes_census(const struct nodes *nodes);

#endif
