/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What becomes of a check that failed: the rank says so to its neighbors in the tree, which pass it
 * on, and steal_process() returns -EPROTO on all of them, with a line that names the check. What is
 * under way then is lost: nothing is processed any more, and the runtime can only be destroyed. The
 * same of a rank that cannot go on, as without memory: the others are canceled.
 */
#ifndef JUGGLE_STEAL_RUNTIME_BROKEN_H
#define JUGGLE_STEAL_RUNTIME_BROKEN_H

#include "libjuggle/steal/runtime/collection.h"

/* On this rank: -EPROTO. */
int broken_here(struct steal_collection *collection, const char *check) MUST_CHECK;

/* By what another rank sent. */
int broken_by(struct steal_collection *collection, const struct message *message,
              const char *check) MUST_CHECK;

/* A MESSAGE_BROKEN came. */
int broken_elsewhere(struct steal_collection *collection, const struct message *message) MUST_CHECK;

/* This rank cannot go on: `error`, as a rule. No thread of it begins a task any more. */
int broken_leave(struct steal_collection *collection, int error) MUST_CHECK;

/* -EPROTO where it has been so before, and messages may be under way that nobody waits for. */
int broken_before(struct steal_runtime *runtime) MUST_CHECK;

/* As broken_here(), if a check of this rank's deques has failed; or else 0. */
int broken_tasks(struct steal_collection *collection) MUST_CHECK;

#endif
