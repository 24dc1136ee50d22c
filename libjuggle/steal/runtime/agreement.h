/* SPDX-License-Identifier: BSD-3-Clause */
/* What all ranks must have alike, and how they find out. */
#ifndef JUGGLE_STEAL_RUNTIME_AGREEMENT_H
#define JUGGLE_STEAL_RUNTIME_AGREEMENT_H

#include "libjuggle/steal/runtime/parameters.h"

/*
 * Collective: 0 if `status` is 0, the `digest` and the parameters are alike on all ranks. Otherwise
 * the rank's own status, or -ECANCELED if only others failed, or -EPROTO; the runtime's message
 * says why, as the first rank that failed does, or by the name of the first parameter that differs
 * or by `what` the digest is of.
 */
int ranks_agree(struct steal_runtime *runtime, int status, const char *what, int64_t digest,
                const struct parameters *parameters, const void *settings) MUST_CHECK;

/* The same, of the status alone. */
int ranks_succeed(struct steal_runtime *runtime, int status) MUST_CHECK;

/* As ranks_succeed(), for what is of all ranks, as a file: each returns the status of the first one
 * that failed, and has its message. */
int ranks_share(struct steal_runtime *runtime, int status) MUST_CHECK;

/* Why this rank cannot go on with the others: `error`, and the runtime's message. */
int rank_fail(struct steal_runtime *runtime, int error);

/* The collective calls of the interface. */
enum call {
    CALL_SUM,
    CALL_MAX,
    CALL_COLLECTION_CREATE,
    CALL_PROCESS,
    CALL_PROCESS_FOR, /* on some ranks, perhaps */
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
 * Collective, and the first that each collective call does: all ranks must have entered the same
 * one, with the same `subject` (a collection, a count). Otherwise -EPROTO on all ranks, and the
 * message says in what this one is. Then all have their `status`, as of ranks_succeed(). -EBUSY
 * from within a task.
 */
int ranks_meet(struct steal_runtime *runtime, enum call call, int64_t subject,
               int status) MUST_CHECK;

/* What the calls are made of, once ranks have met. */
int ranks_sum(struct steal_runtime *runtime, int64_t *values, size_t count) MUST_CHECK;
int ranks_max(struct steal_runtime *runtime, int64_t *values, size_t count) MUST_CHECK;

/* What rank 0 has; all others have zeros. */
int ranks_hear_first(struct steal_runtime *runtime, int64_t *values, size_t count) MUST_CHECK;

/* Each value becomes the sum over all ranks, and `begin` that over the ranks before this one. */
int ranks_scan(struct steal_runtime *runtime, int64_t *values, size_t count,
               int64_t *begin) MUST_CHECK;

/* Takes records of one rank, at least one; returns 0 or -errno, and the message says why. */
typedef int ranks_sink(void *context, int rank, const void *records, size_t count);

/* Collective: rank 0 gives the records of all ranks, each of `size` bytes, to the sink, by rank and
 * a few kilobytes at a time. It returns the sink's first failure, after which that gets no more. */
int ranks_collect(struct steal_runtime *runtime, const void *records, size_t count, size_t size,
                  ranks_sink *sink, void *context) MUST_CHECK;

#endif
