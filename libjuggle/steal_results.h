/* SPDX-License-Identifier: BSD-3-Clause */
/* What tasks find out for the program: storage of each worker, which is reduced at the end, and
 * results that are sent to rank 0: a part of <juggle/steal.h>. */
#ifndef JUGGLE_STEAL_RESULTS_H
#define JUGGLE_STEAL_RESULTS_H

#include "steal_choices.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct steal_worker;
struct steal_collection;

/* ---- storage of workers -------------------------------------------------------------------- */

/*
 * Returns this worker's `storage` bytes of the collection, in cache lines that it shares with no
 * other worker. They last from creation to destruction, and are zero at first, or as
 * `storage_initial` says. Outside of steal_process() the seeder has those of worker 0. NULL if the
 * collection has no storage, or belongs to another runtime.
 */
STEAL_API void *steal_storage(const struct steal_worker *worker,
                              const struct steal_collection *collection);

/* Local. Resets the storage of all workers of this rank to its initial content. -EINVAL without
 * storage, -EBUSY from within a task. */
STEAL_API int steal_storage_clear(struct steal_collection *collection) STEAL_MUST_CHECK;

/* How the values of all workers are combined: int64_t, or double. */
enum steal_reduction {
    STEAL_REDUCTION_SUM,
    STEAL_REDUCTION_MIN,
    STEAL_REDUCTION_MAX,
    STEAL_REDUCTION_ARGMIN, /* of struct steal_arg: the least value, and where it is; among equal
                               values the least `where` */
    STEAL_REDUCTION_ARGMAX,
    STEAL_REDUCTION_SUM_DOUBLE,
    STEAL_REDUCTION_MIN_DOUBLE,
    STEAL_REDUCTION_MAX_DOUBLE,
    STEAL_REDUCTION_ARGMIN_DOUBLE, /* of struct steal_arg_double */
    STEAL_REDUCTION_ARGMAX_DOUBLE
};

struct steal_arg {
    int64_t value;
    int64_t where;
};

struct steal_arg_double {
    double value;
    int64_t where;
};

/*
 * Collective. Reduces each of the `count` values that lie in the workers' storage from byte
 * `offset` on, over all workers of all ranks, and writes them to `result` on all ranks. Storage
 * stays as it is. The order is always that of the ranks, and of the workers of each. -EINVAL (no
 * storage, no such reduction, beyond the storage, or an offset that is no multiple of 8), -EPROTO
 * (the ranks pass different arguments), -ENOMEM.
 */
STEAL_API int steal_reduce(struct steal_collection *collection, enum steal_reduction reduction,
                           size_t offset, size_t count, void *result) STEAL_MUST_CHECK;

/* Combines the storage of two workers: `into` is that of the earlier worker (or of several,
 * combined before), `from` that of the later one; the result goes to `into`. Both are aligned to 64
 * bytes. */
typedef void steal_combine(void *context, void *into, const void *from);

/* Collective. Like steal_reduce(), but for the whole storage, with a function of the program. */
STEAL_API int steal_reduce_with(struct steal_collection *collection, steal_combine *combine,
                                void *context, void *result) STEAL_MUST_CHECK;

/* ---- results of tasks ---------------------------------------------------------------------- */

/* Bytes of the largest result. */
enum { STEAL_RESULT_SIZE_MAX = 65024 };

/*
 * Called by a task of a collection with `result` or `results_path`: sends these bytes, which are
 * copied, to rank 0 under the number `id`. Rank 0 passes them to the function `result`, in the
 * thread that called steal_process(), between tasks, and appends them to the file without anything
 * between results: as they arrive or by their numbers, as `results` says. That function adds no
 * tasks, makes no collective call and throws nothing. When steal_process() returns, all results
 * have been passed on, even if it was canceled. If the file cannot be written, the process stops
 * and fails, and the next one goes on. Each rank keeps up to `results_memory` bytes of results
 * under way in memory, and the rest in an unnamed file in the folder TMPDIR. -EINVAL (outside of a
 * task, no such collection), -EMSGSIZE, -ENOMEM, -errno of that file: steal_worker_message() says
 * why.
 */
STEAL_API int steal_result(struct steal_worker *worker, uint64_t id, const void *data,
                           size_t size) STEAL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
