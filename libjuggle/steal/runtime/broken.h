/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens when a check fails: the rank tells its neighbors in the tree, which pass it on, and
 * steal_process() returns -EPROTO on all ranks, with a message that names the check on the rank
 * that failed, and that rank on the others. Tasks under way are then lost: nothing is processed any
 * more, and the runtime can only be destroyed. The same happens if a rank cannot go on, such as for
 * lack of memory, except that the others return -ECANCELED.
 */
#ifndef JUGGLE_STEAL_RUNTIME_BROKEN_H
#define JUGGLE_STEAL_RUNTIME_BROKEN_H

#include "libjuggle/steal/runtime/collection.h"

/* A check has failed on this rank: tells the neighbors, and returns -EPROTO. */
int broken_here(struct steal_collection *collection, const char *check) MUST_CHECK;

/* A check has failed because of the message of another rank: tells the neighbors, and returns
 * -EPROTO. */
int broken_by(struct steal_collection *collection, const struct message *message,
              const char *check) MUST_CHECK;

/* A MESSAGE_BROKEN came: passes it on, and returns -EPROTO, or -ECANCELED if that rank could not go
 * on. */
int broken_elsewhere(struct steal_collection *collection, const struct message *message) MUST_CHECK;

/* This rank cannot go on: tells the neighbors unless they know, and returns `error`. No thread of
 * this rank begins a task any more. */
int broken_leave(struct steal_collection *collection, int error) MUST_CHECK;

/* Collective: ranks_share_failure(), after which the runtime has failed on all ranks if it has on
 * one. */
int broken_share(struct steal_runtime *runtime, int status) MUST_CHECK;

/* -EPROTO if a rank has failed before, because messages may still be under way that no rank waits
 * for; otherwise 0. */
int broken_before(struct steal_runtime *runtime) MUST_CHECK;

/* Calls broken_here() if a check of this rank's deques has failed; otherwise returns 0. */
int broken_tasks(struct steal_collection *collection) MUST_CHECK;

#endif
