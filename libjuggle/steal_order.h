/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tasks are executed first, by level or by expected cost, and which wait for others: a part
 * of <juggle/steal.h>. */
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
 * Like steal_add(), for a collection with `levels`: a worker executes its tasks of level 0 first,
 * then those of level 1, and so on. A thief takes a part of each level, level 0 first. Tasks of
 * steal_add() and steal_commit() are in the last level. -EINVAL (no such level), and the errors of
 * steal_add().
 */
STEAL_API int steal_add_level(struct steal_worker *worker, struct steal_collection *collection,
                              int level, const void *task, size_t size) STEAL_MUST_CHECK;

/*
 * Like steal_add(), for a collection that is `weighted`. The cost is the time that the task is
 * expected to take, in nanoseconds or any other unit, from 64 to 2^40 of it; all costs below 64
 * count as equal, and so do all above 2^40. A worker executes the longest tasks first, and treats
 * costs within a quarter as equal; a thief that steals half gets half of the total cost. Tasks of
 * steal_add() and steal_commit() have cost 0 and come last. If the collection also has `levels`,
 * the task is in the last one. With `retain`, if a task was executed before, or is in a ledger, its
 * cost is predicted from that, and `cost` is ignored; a task that never ran and was added without a
 * cost has the average cost of the others. -EINVAL (not weighted, a cost below 0), and the errors
 * of steal_add().
 */
STEAL_API int steal_add_weighted(struct steal_worker *worker, struct steal_collection *collection,
                                 int64_t cost, const void *task, size_t size) STEAL_MUST_CHECK;

/* ---- tasks that wait ----------------------------------------------------------------------- */

/*
 * Like steal_add(), for a collection with `waiting`: the task is added on one of the ranks, in the
 * last level, when steal_count_down() has been called `count` times for `id`, by tasks of any rank
 * or by seeders, before or after this call; at once if `count` is 0. Then `id` can be used again.
 * If a count never reaches zero, all other tasks are executed, steal_process() fails with -EDEADLK,
 * and waiting tasks are dropped. If two tasks wait for the same `id` at the same time,
 * steal_process() is canceled with -EEXIST. -EINVAL (without `waiting`, a count below 0), -ENOMEM,
 * and the errors of steal_add().
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
