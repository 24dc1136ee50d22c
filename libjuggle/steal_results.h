/* SPDX-License-Identifier: BSD-3-Clause */
/* What tasks find out, for the program: storage of each worker, which is reduced at the end, and
 * results that go to rank 0: a part of <juggle/steal.h>. */
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
 * The `storage` bytes that this worker has of the collection for itself, in cache lines that no
 * other one has: from creation to destruction, zero at first, or as `storage_initial` says. The
 * seeder, outside of steal_process(), has those of worker 0. NULL of a collection without storage,
 * or of another runtime.
 */
STEAL_API void *steal_storage(const struct steal_worker *worker,
                              const struct steal_collection *collection);

/* Local. All workers' storage is as it was at first. -EINVAL without storage, -EBUSY from within a
 * task. */
STEAL_API int steal_storage_clear(struct steal_collection *collection) STEAL_MUST_CHECK;

/* What becomes of the values that the workers have: of int64_t, or of double. */
enum steal_reduction {
    STEAL_REDUCTION_SUM,
    STEAL_REDUCTION_MIN,
    STEAL_REDUCTION_MAX,
    STEAL_REDUCTION_ARGMIN, /* of struct steal_arg: the least value, and where it is; of equal ones
                               the least `where` */
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
 * Collective. Reduces each of `count` values that lie in the workers' storage from byte `offset`
 * on, over all workers of all ranks, to `result` on all ranks. Storage stays as it is. The order is
 * that of the ranks and of their workers, always. -EINVAL (no storage, no such reduction, beyond
 * the storage, or an offset that is no multiple of 8), -EPROTO (the ranks want different things),
 * -ENOMEM.
 */
STEAL_API int steal_reduce(struct steal_collection *collection, enum steal_reduction reduction,
                           size_t offset, size_t count, void *result) STEAL_MUST_CHECK;

/* Combines two workers' storage: `into` is of earlier workers (or what was already combined of
 * them), `from` of later ones; the result is left in `into`. Both are aligned to 64 bytes. */
typedef void steal_combine(void *context, void *into, const void *from);

/* Collective. The same of the whole storage, by the program's function. */
STEAL_API int steal_reduce_with(struct steal_collection *collection, steal_combine *combine,
                                void *context, void *result) STEAL_MUST_CHECK;

/* ---- results of tasks ---------------------------------------------------------------------- */

/* Bytes of the largest result. */
enum { STEAL_RESULT_SIZE_MAX = 65024 };

/*
 * From within a task, of a collection with `result` or `results_path`: rank 0 is to have these
 * bytes under that number. They are copied. There they go to the function, called by the thread
 * that called steal_process(), between tasks, and to the file, one after the other without anything
 * between them: as they arrive or by their numbers, as `results` says. The function adds no tasks,
 * makes no collective call and throws nothing. When steal_process() returns, all are there, even if
 * it was canceled. Each rank keeps up to `results_memory` bytes of what is under way, and the rest
 * in a file without a name where TMPDIR says. -EINVAL (outside of a task, no such collection),
 * -EMSGSIZE, -ENOMEM, -errno of that file: steal_worker_message() says why.
 */
STEAL_API int steal_result(struct steal_worker *worker, uint64_t id, const void *data,
                           size_t size) STEAL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
