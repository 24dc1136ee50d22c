/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that all ranks succeed and agree, and combines values over all ranks. */
#ifndef JUGGLE_STEAL_RUNTIME_AGREEMENT_H
#define JUGGLE_STEAL_RUNTIME_AGREEMENT_H

#include "libjuggle/steal/runtime/parameters.h"

/*
 * Collective. Returns 0 if `status` is 0 and `digest` and the parameters are equal on all ranks.
 * Otherwise returns the rank's own status, or -ECANCELED if only others failed, or -EPROTO if
 * values differ. The runtime's message then repeats that of the first rank that failed, or names
 * the first parameter that differs, or `what`, which says what the digest is of.
 */
int ranks_agree(struct steal_runtime *runtime, int status, const char *what, int64_t digest,
                const struct parameters *parameters, const void *settings) MUST_CHECK;

/* Collective. Like ranks_agree(), for the status alone. */
int ranks_succeed(struct steal_runtime *runtime, int status) MUST_CHECK;

/* Like ranks_succeed(), for a failure that concerns all ranks, such as that of a file: each rank
 * returns the status of the first rank that failed, and has its message. */
int ranks_share_failure(struct steal_runtime *runtime, int status) MUST_CHECK;

/* Says in the runtime's message why this rank cannot go on with the others; returns `error`. */
int rank_fail(struct steal_runtime *runtime, int error);

/* The collective calls of the interface. */
enum call {
    CALL_SUM,
    CALL_MAX,
    CALL_COLLECTION_CREATE,
    CALL_PROCESS,
    CALL_PROCESS_FOR, /* counts as the same call as CALL_PROCESS */
    CALL_REBALANCE,
    CALL_LEDGER_SAVE,
    CALL_LEDGER_LOAD,
    CALL_STATISTICS,
    CALL_REPORT,
    CALL_TRACE_WRITE,
    CALL_REDUCE,
    CALL_REDUCE_WITH,
    CALL_CHECKPOINT,
    CALL_RUNTIME_DESTROY,
};

/*
 * Collective; the first step of each collective call. All ranks must have entered the same call,
 * with the same `subject` (a collection, a count). Otherwise returns -EPROTO on all ranks, and the
 * message says which call this rank is in. Then agrees on `status`, as ranks_succeed(). -EBUSY from
 * within a task.
 */
int ranks_meet(struct steal_runtime *runtime, enum call call, int64_t subject,
               int status) MUST_CHECK;

/* Collective, after ranks_meet(): replaces each value by its sum, or its maximum, over all
 * ranks. */
int ranks_sum(struct steal_runtime *runtime, int64_t *values, size_t count) MUST_CHECK;
int ranks_max(struct steal_runtime *runtime, int64_t *values, size_t count) MUST_CHECK;

/* Collective. Gives the values of rank 0 to all ranks. */
int ranks_copy_first(struct steal_runtime *runtime, int64_t *values, size_t count) MUST_CHECK;

/* Collective. Replaces each value by its sum over all ranks; `begin` becomes the sum over the ranks
 * before this one. */
int ranks_scan(struct steal_runtime *runtime, int64_t *values, size_t count,
               int64_t *begin) MUST_CHECK;

/* Takes records of one rank, at least one; returns 0 or -errno, and then the message says why. */
typedef int ranks_sink(void *context, int rank, const void *records, size_t count);

/* Collective. Rank 0 passes the records of all ranks, each of `size` bytes, to the sink, in the
 * order of the ranks and a few kilobytes at a time. It returns the sink's first failure, after
 * which the sink gets no more records. */
int ranks_collect(struct steal_runtime *runtime, const void *records, size_t count, size_t size,
                  ranks_sink *sink, void *context) MUST_CHECK;

#endif
