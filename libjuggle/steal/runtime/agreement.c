/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/agreement.h"

#include "libjuggle/ground/fault.h"
#include "libjuggle/steal/runtime/rank.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { AGREEMENTS_MAX = 48 };

/* The maximum of a value and of its complement over all ranks tell whether all ranks have the
 * same. */
static void extremes_add(int64_t *extremes, size_t at, int64_t value)
{
    extremes[2 * at] = value;
    extremes[2 * at + 1] = ~value;
}

static bool extremes_alike(const int64_t *extremes, size_t at)
{
    return extremes[2 * at] == ~extremes[2 * at + 1];
}

static int differ(struct steal_runtime *runtime, const char *name)
{
    return runtime_fail(runtime, -EPROTO, "%s is not the same on all ranks", name);
}

/* What a rank tells the others about its failure. */
union failure {
    struct {
        int64_t status;
        char message[STEAL_MESSAGE_MAX];
    };
    int64_t words[1 + STEAL_MESSAGE_MAX / sizeof(int64_t)];
};

static int failure_broadcast(struct steal_runtime *runtime, int status, int failed_rank,
                             union failure *failure)
{
    memset(failure, 0, sizeof(*failure));
    if (runtime->transport->rank == failed_rank) {
        failure->status = status;
        memcpy(failure->message, runtime->message, sizeof(failure->message));
    }
    /* All other ranks add zeros. */
    return ranks_sum(runtime, failure->words, ARRAY_COUNT(failure->words));
}

/* Fetches the message of `failed_rank`, which failed, on ranks that did not fail themselves. */
static int ranks_fetch_failure(struct steal_runtime *runtime, int status, int failed_rank)
{
    union failure failure;
    const int result = failure_broadcast(runtime, status, failed_rank, &failure);

    if (result < 0 || status < 0)
        return result < 0 ? result : status;
    return runtime_fail(runtime, -ECANCELED, "rank %d: %s", failed_rank, failure.message);
}

/* Number of this failure, the greatest for the first rank; 0 if this rank did not fail. */
static int64_t failure_of(const struct steal_runtime *runtime, int status)
{
    return status < 0 ? runtime->transport->ranks - runtime->transport->rank : 0;
}

int ranks_succeed(struct steal_runtime *runtime, int status)
{
    int64_t failed = failure_of(runtime, status);
    const int result = ranks_max(runtime, &failed, 1);

    if (result < 0 || failed == 0)
        return result;
    return ranks_fetch_failure(runtime, status, runtime->transport->ranks - (int)failed);
}

int ranks_share_failure(struct steal_runtime *runtime, int status)
{
    int64_t failed = failure_of(runtime, status);
    union failure failure;
    int result;

    if (status < 0 && !*runtime->message)
        runtime_fail(runtime, status, "%s", strerror(-status));
    result = ranks_max(runtime, &failed, 1);
    if (result < 0 || failed == 0)
        return result;
    result = failure_broadcast(runtime, status, runtime->transport->ranks - (int)failed, &failure);
    return result < 0 ? result : runtime_fail(runtime, (int)failure.status, "%s", failure.message);
}

int ranks_agree(struct steal_runtime *runtime, int status, const char *what, int64_t digest,
                const struct parameters *parameters, const void *settings)
{
    int64_t extremes[2 * AGREEMENTS_MAX];
    struct fault fault = {0};
    int result;

    if (!HOLDS(&fault, parameters->count < AGREEMENTS_MAX))
        status = runtime_fail(runtime, -EPROTO, "a check has failed: %s", fault_text(&fault));
    result = ranks_succeed(runtime, status);
    if (result < 0)
        return result;
    extremes_add(extremes, 0, digest);
    for (size_t i = 0; i < parameters->count; i++)
        extremes_add(extremes, i + 1, parameter_value(&parameters->list[i], settings));
    result = ranks_max(runtime, extremes, 2 * (parameters->count + 1));
    if (result < 0)
        return result;
    if (!extremes_alike(extremes, 0))
        return differ(runtime, what);
    for (size_t i = 0; i < parameters->count; i++)
        if (!extremes_alike(extremes, i + 1))
            return differ(runtime, parameters->list[i].name);
    return 0;
}

int rank_fail(struct steal_runtime *runtime, int error)
{
    if (error == -EIO) {
        runtime->transport->broken = true;
        return runtime_fail(runtime, error, "the ranks cannot be reached");
    }
    return runtime_fail(runtime, error, "this rank cannot go on: %s", strerror(-error));
}

/* ---- over all ranks ------------------------------------------------------------------------ */

static int ranks_reduce(struct steal_runtime *runtime, enum transport_reduction reduction,
                        int64_t *values, size_t count)
{
    int result = runtime->transport->ops->reduce(runtime->transport, reduction, values, count);

    return result < 0 ? rank_fail(runtime, result) : 0;
}

int ranks_sum(struct steal_runtime *runtime, int64_t *values, size_t count)
{
    return ranks_reduce(runtime, REDUCE_SUM, values, count);
}

int ranks_max(struct steal_runtime *runtime, int64_t *values, size_t count)
{
    return ranks_reduce(runtime, REDUCE_MAX, values, count);
}

int ranks_copy_first(struct steal_runtime *runtime, int64_t *values, size_t count)
{
    if (runtime->transport->rank > 0)
        memset(values, 0, count * sizeof(*values));
    return ranks_sum(runtime, values, count);
}

int ranks_scan(struct steal_runtime *runtime, int64_t *values, size_t count, int64_t *begin)
{
    const size_t ranks = (size_t)runtime->transport->ranks;
    const size_t own = (size_t)runtime->transport->rank * count;
    int64_t *all = calloc(ranks * count, sizeof(*all));
    int result = all ? 0 : runtime_fail(runtime, -ENOMEM, "no memory to count %zu ranks", ranks);

    result = ranks_succeed(runtime, result);
    if (result == 0 && all) {
        memcpy(all + own, values, count * sizeof(*values));
        result = ranks_sum(runtime, all, ranks * count);
    }
    for (size_t i = 0; i < count && result == 0 && all; i++) {
        values[i] = 0;
        for (size_t rank = 0; rank < ranks; rank++) {
            if (rank * count == own)
                begin[i] = values[i];
            values[i] += all[rank * count + i];
        }
    }
    free(all);
    return result;
}

enum { PORTION = 12288 }; /* bytes, on the stack */

/* Sends the number of records, and then all records. */
static int records_send(struct transport *transport, const char *records, size_t count, size_t size)
{
    const size_t portion = PORTION / size;
    int result = transport->ops->send_data(transport, 0, &count, sizeof(count));

    for (size_t done = 0; done < count && result == 0; done += portion)
        result = transport->ops->send_data(transport, 0, records + done * size,
                                           (count - done < portion ? count - done : portion) *
                                               size);
    return result;
}

/* Receives all records even if the sink fails, because the other rank sends all of them. */
static int records_receive(struct steal_runtime *runtime, int rank, size_t size, int status,
                           ranks_sink *sink, void *context)
{
    struct transport *transport = runtime->transport;
    _Alignas(max_align_t) char records[PORTION];
    size_t count = 0, portion;
    int result = transport->ops->receive_data(transport, rank, &count, sizeof(count));

    for (; count > 0 && result == 0; count -= portion) {
        portion = count < PORTION / size ? count : PORTION / size;
        result = transport->ops->receive_data(transport, rank, records, portion * size);
        if (result == 0 && status == 0)
            status = sink(context, rank, records, portion);
    }
    return result < 0 ? rank_fail(runtime, result) : status;
}

int ranks_collect(struct steal_runtime *runtime, const void *records, size_t count, size_t size,
                  ranks_sink *sink, void *context)
{
    struct transport *transport = runtime->transport;
    int result;

    if (transport->rank > 0) {
        result = transport->ops->send_data ? records_send(transport, records, count, size) : 0;
        return result < 0 ? rank_fail(runtime, result) : 0;
    }
    result = count > 0 ? sink(context, 0, records, count) : 0;
    for (int rank = 1; rank < transport->ranks && transport->ops->receive_data; rank++)
        result = records_receive(runtime, rank, size, result, sink, context);
    return result;
}

int ranks_meet(struct steal_runtime *runtime, enum call call, int64_t subject, int status)
{
    static const struct {
        const char *name, *subject;
    } calls[] = {
        [CALL_SUM] = {"steal_sum()", "counts"},
        [CALL_MAX] = {"steal_max()", "counts"},
        [CALL_COLLECTION_CREATE] = {"steal_collection_create()", ""},
        [CALL_PROCESS] = {"steal_process()", "collections"},
        [CALL_PROCESS_FOR] = {"steal_process_for()", "collections"},
        [CALL_REBALANCE] = {"steal_rebalance()", "collections"},
        [CALL_LEDGER_SAVE] = {"steal_ledger_save()", "collections"},
        [CALL_LEDGER_LOAD] = {"steal_ledger_load()", "collections"},
        [CALL_STATISTICS] = {"steal_statistics_sum()", "collections"},
        [CALL_REPORT] = {"steal_report()", "collections"},
        [CALL_TRACE_WRITE] = {"steal_trace_write()", ""},
        [CALL_REDUCE] = {"steal_reduce()", "collections"},
        [CALL_REDUCE_WITH] = {"steal_reduce_with()", "collections"},
        [CALL_CHECKPOINT] = {"steal_checkpoint()", "collections"},
        [CALL_RUNTIME_DESTROY] = {"steal_runtime_destroy()", ""},
    };
    int64_t extremes[5], *const failed = &extremes[4];
    int result;

    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "%s from within a task", calls[call].name);
    if (status == 0)
        runtime_forget(runtime);
    extremes_add(extremes, 0, call == CALL_PROCESS_FOR ? CALL_PROCESS : call);
    extremes_add(extremes, 1, subject);
    *failed = failure_of(runtime, status);
    result = ranks_max(runtime, extremes, ARRAY_COUNT(extremes));
    if (result < 0)
        return result;
    if (!extremes_alike(extremes, 0))
        return runtime_fail(runtime, -EPROTO,
                            "this rank called %s, but another rank called a different function",
                            calls[call].name);
    if (!extremes_alike(extremes, 1))
        return runtime_fail(runtime, -EPROTO, "the ranks called %s with different %s",
                            calls[call].name, calls[call].subject);
    return *failed > 0
               ? ranks_fetch_failure(runtime, status, runtime->transport->ranks - (int)*failed)
               : 0;
}

static int values_reduce(struct steal_runtime *runtime, enum call call, int64_t *values,
                         size_t count)
{
    int result;

    if (!runtime)
        return -EINVAL;
    result = count > 0 ? runtime_need(runtime, values, "values") : 0;
    if (count > INT_MAX)
        result = runtime_fail(runtime, -EINVAL, "count must be at most %d, not %zu", INT_MAX,
                              count);
    result = ranks_meet(runtime, call, (int64_t)count, result);
    if (result < 0)
        return result;
    return ranks_reduce(runtime, call == CALL_SUM ? REDUCE_SUM : REDUCE_MAX, values, count);
}

int steal_sum(struct steal_runtime *runtime, int64_t *values, size_t count)
{
    return values_reduce(runtime, CALL_SUM, values, count);
}

int steal_max(struct steal_runtime *runtime, int64_t *values, size_t count)
{
    return values_reduce(runtime, CALL_MAX, values, count);
}
