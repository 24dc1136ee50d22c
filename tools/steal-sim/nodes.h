/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of an unbalanced tree as tasks of all virtual ranks; they are really expanded. A task
 * is an inner node. Its children are hashed together, and leaves are only counted. */
#ifndef JUGGLE_STEAL_SIM_NODES_H
#define JUGGLE_STEAL_SIM_NODES_H

#include "tools/uts/expander.h"

struct nodes;

/* Parses the name of a published tree, "binomial:B,M,Q,SEED", or "geometric:B,D,SEED" (of fixed
 * shape). Returns 0 or -EINVAL; *expected says what is valid. */
int tree_parse(const char *text, struct tree *tree, const char **expected) MUST_CHECK;

/* Returns 0 or -ENOMEM. */
int nodes_open(const struct tree *tree, struct nodes **nodes) MUST_CHECK;

/* Accepts NULL. */
void nodes_close(struct nodes *nodes);

/* Expand the root, or `count` tasks, EXPANDER_BATCH at most. Tasks found before are dropped. Return
 * 0 or -ENOMEM. */
int nodes_expand_root(struct nodes *nodes) MUST_CHECK;
int nodes_expand(struct nodes *nodes, const struct node *tasks, size_t count) MUST_CHECK;

/* Returns the tasks that the last expansion found. */
const struct node *nodes_found(const struct nodes *nodes, size_t *count);

/* Counts all nodes found so far. */
struct census nodes_census(const struct nodes *nodes);

#endif
