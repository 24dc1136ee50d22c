/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of an unbalanced tree, really expanded, as tasks of all virtual ranks. A task is an
 * inner node; its children are hashed together, and leaves only counted. */
#ifndef JUGGLE_STEAL_SIM_NODES_H
#define JUGGLE_STEAL_SIM_NODES_H

#include "tools/uts/expander.h"

struct nodes;

/* The tree with that name: a published one, "binomial:B,M,Q,SEED" or "geometric:B,D,SEED" of fixed
 * shape. -EINVAL; *expected then says what would have been right. */
int tree_parse(const char *text, struct tree *tree, const char **expected) MUST_CHECK;

/* -ENOMEM. */
int nodes_open(const struct tree *tree, struct nodes **nodes) MUST_CHECK;

/* Accepts NULL. */
void nodes_close(struct nodes *nodes);

/* What was expanded last is replaced by the root's children, or those of `count` tasks,
 * EXPANDER_BATCH at most. -ENOMEM. */
int nodes_expand_root(struct nodes *nodes) MUST_CHECK;
int nodes_expand(struct nodes *nodes, const struct node *tasks, size_t count) MUST_CHECK;

/* Tasks that came of it. */
const struct node *nodes_found(const struct nodes *nodes, size_t *count);

/* All that were met so far. */
struct census nodes_census(const struct nodes *nodes);

#endif
