/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tasks come first, by level or by what they are expected to cost, and which wait for others:
 * a part of <juggle/steal.h>. */
#ifndef JUGGLE_STEAL_ORDER_H
#define JUGGLE_STEAL_ORDER_H

#include "steal_choices.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct steal_worker;
struct steal_collection;

enum { STEAL_LEVELS_MAX = 4 };

/*
 * As steal_add(), to a collection with `levels`: a worker executes what it holds of level 0 first,
 * then of level 1, and so on. Who steals takes a part of each level, from the best on. What
 * steal_add() and steal_commit() add is of the last level. -EINVAL (no such level), and errors as
 * of steal_add().
 */
STEAL_API int steal_add_level(struct steal_worker *worker, struct steal_collection *collection,
                              int level, const void *task, size_t size) STEAL_MUST_CHECK;

/*
 * As steal_add(), to a collection that is `weighted`. The cost is the time that the task is
 * expected to take, in nanoseconds or any other unit, from 64 to 2^40 of it; beyond that all are
 * alike. A worker executes the longest first, those within a quarter being equal, and who steals
 * half gets half of the sum. What steal_add() and steal_commit() add costs 0 and comes last. In a
 * collection that also has `levels`, it is of the last one. With `retain`, a task that was executed
 * before, or that a ledger knows, costs what is expected of it from that, whatever is said here;
 * one that is not known and of which nothing is said, the average of the others. -EINVAL (not
 * weighted, a cost below 0), and errors as of steal_add().
 */
STEAL_API int steal_add_weighted(struct steal_worker *worker, struct steal_collection *collection,
                                 int64_t cost, const void *task, size_t size) STEAL_MUST_CHECK;

/* ---- tasks that wait ----------------------------------------------------------------------- */

/*
 * As steal_add(), to a collection with `waiting`: the task is added on one of the ranks, as of the
 * last level, when steal_count_down() was called `count` times for this number, by tasks of any
 * rank or by seeders, before or after this; at once if that is 0. Then the number is free again.
 * Where a count never comes to zero, all other tasks are executed, and steal_process() fails with
 * -EDEADLK. Two tasks that wait for one number at a time cancel it: -EEXIST. What waits is dropped.
 * -EINVAL (without `waiting`, a count below 0), -ENOMEM, and errors as of steal_add().
 */
STEAL_API int steal_add_waiting(struct steal_worker *worker, struct steal_collection *collection,
                                uint64_t id, int64_t count, const void *task,
                                size_t size) STEAL_MUST_CHECK;
STEAL_API int steal_count_down(struct steal_worker *worker, struct steal_collection *collection,
                               uint64_t id) STEAL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
