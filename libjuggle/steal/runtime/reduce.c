/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of the workers' storage: first over the workers of a rank, then up a binomial tree of
 * the ranks. In this tree each rank combines its own value with those of ranks after it, so that
 * all is combined in the order of the ranks. The result goes down the same tree.
 */
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/collection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is combined ---------------------------------------------------------------------- */

/* Combines one value into another. */
typedef void take(void *into, const void *from);

#define TAKES(type, name)                                \
    static void sum_##name(void *into, const void *from) \
    {                                                    \
        *(type *)into += *(const type *)from;            \
    }                                                    \
    static void min_##name(void *into, const void *from) \
    {                                                    \
        if (*(const type *)from < *(type *)into)         \
            *(type *)into = *(const type *)from;         \
    }                                                    \
    static void max_##name(void *into, const void *from) \
    {                                                    \
        if (*(const type *)from > *(type *)into)         \
            *(type *)into = *(const type *)from;         \
    }

TAKES(int64_t, int64)
TAKES(double, double)

#define TAKES_ARG(type, name)                                            \
    static void argmin_##name(void *into, const void *from)              \
    {                                                                    \
        struct type *best = into;                                        \
        const struct type *other = from;                                 \
                                                                         \
        if (other->value < best->value ||                                \
            (other->value == best->value && other->where < best->where)) \
            *best = *other;                                              \
    }                                                                    \
    static void argmax_##name(void *into, const void *from)              \
    {                                                                    \
        struct type *best = into;                                        \
        const struct type *other = from;                                 \
                                                                         \
        if (other->value > best->value ||                                \
            (other->value == best->value && other->where < best->where)) \
            *best = *other;                                              \
    }

TAKES_ARG(steal_arg, int64)
TAKES_ARG(steal_arg_double, double)

static const struct kind {
    take *take;
    size_t size; /* of a value */
} kinds[] = {
    [STEAL_REDUCTION_SUM] = {sum_int64, sizeof(int64_t)},
    [STEAL_REDUCTION_MIN] = {min_int64, sizeof(int64_t)},
    [STEAL_REDUCTION_MAX] = {max_int64, sizeof(int64_t)},
    [STEAL_REDUCTION_ARGMIN] = {argmin_int64, sizeof(struct steal_arg)},
    [STEAL_REDUCTION_ARGMAX] = {argmax_int64, sizeof(struct steal_arg)},
    [STEAL_REDUCTION_SUM_DOUBLE] = {sum_double, sizeof(double)},
    [STEAL_REDUCTION_MIN_DOUBLE] = {min_double, sizeof(double)},
    [STEAL_REDUCTION_MAX_DOUBLE] = {max_double, sizeof(double)},
    [STEAL_REDUCTION_ARGMIN_DOUBLE] = {argmin_double, sizeof(struct steal_arg_double)},
    [STEAL_REDUCTION_ARGMAX_DOUBLE] = {argmax_double, sizeof(struct steal_arg_double)},
};

/* A part of the storage, and how two of them become one. */
struct reduce {
    struct steal_collection *collection;
    size_t offset;
    size_t size;
    steal_combine *combine;
    void *context;
};

struct values {
    const struct kind *kind;
    size_t count;
};

static void values_combine(void *context, void *into, const void *from)
{
    const struct values *values = context;
    const size_t size = values->kind->size;

    for (size_t i = 0; i < values->count; i++)
        values->kind->take((char *)into + i * size, (const char *)from + i * size);
}

/* ---- over workers and ranks ---------------------------------------------------------------- */

static void reduce_workers(const struct reduce *reduce, void *own)
{
    const struct storage *storage = reduce->collection->storage;

    memcpy(own, (char *)storage_of(storage, 0) + reduce->offset, reduce->size);
    for (int worker = 1; worker < storage_count(storage); worker++)
        reduce->combine(reduce->context, own,
                        (const char *)storage_of(storage, worker) + reduce->offset);
}

static int reduce_up(const struct reduce *reduce, struct transport *transport, void *own,
                     void *other)
{
    int result = 0;

    for (int step = 1; step < transport->ranks && result == 0; step *= 2) {
        if (transport->rank & step)
            return transport->ops->send_data(transport, transport->rank - step, own, reduce->size);
        if (transport->rank + step >= transport->ranks)
            continue;
        result = transport->ops->receive_data(transport, transport->rank + step, other,
                                              reduce->size);
        if (result == 0)
            reduce->combine(reduce->context, own, other);
    }
    return result;
}

static int reduce_down(const struct reduce *reduce, struct transport *transport, void *own)
{
    int step = 1;
    int result = 0;

    while (step < transport->ranks && !(transport->rank & step))
        step *= 2;
    if (transport->rank > 0)
        result = transport->ops->receive_data(transport, transport->rank - step, own, reduce->size);
    for (step /= 2; step > 0 && result == 0; step /= 2)
        if (transport->rank + step < transport->ranks)
            result = transport->ops->send_data(transport, transport->rank + step, own,
                                               reduce->size);
    return result;
}

/* If the transport has no send_data(), each rank keeps its own result. */
static int reduce_ranks(const struct reduce *reduce, void *own, void *other)
{
    struct steal_runtime *runtime = reduce->collection->runtime;
    struct transport *transport = runtime->transport;
    int result;

    if (transport->ranks == 1 || !transport->ops->send_data)
        return 0;
    result = reduce_up(reduce, transport, own, other);
    if (result == 0)
        result = reduce_down(reduce, transport, own);
    return result < 0 ? rank_fail(runtime, result) : 0;
}

/* Reduces if all ranks ask for the same. The program's function is given memory that is aligned to
 * cache lines, as tasks are. */
static int reduce_run(const struct reduce *reduce, int64_t digest, void *result)
{
    static const struct parameters none = {NULL, 0};
    struct steal_runtime *runtime = reduce->collection->runtime;
    const size_t half = (reduce->size / DEQUE_LINE + 1) * DEQUE_LINE;
    unsigned char *memory = aligned_alloc(DEQUE_LINE, 2 * half);
    int status = memory ? 0
                        : runtime_fail(runtime, -ENOMEM, "no memory to reduce %zu bytes",
                                       reduce->size);

    status = ranks_agree(runtime, status, "what is to be reduced", digest, &none, NULL);
    if (status == 0 && memory) {
        reduce_workers(reduce, memory);
        status = reduce_ranks(reduce, memory, memory + half);
        if (status == 0)
            memcpy(result, memory, reduce->size);
    }
    free(memory);
    return status;
}

static int reduce_check(const struct reduce *reduce, const void *result)
{
    struct steal_runtime *runtime = reduce->collection->runtime;
    const struct storage *storage = reduce->collection->storage;

    if (!storage)
        return runtime_fail(runtime, -EINVAL, "the collection was created without storage");
    if (reduce->offset % sizeof(int64_t) != 0)
        return runtime_fail(runtime, -EINVAL, "offset must be a multiple of 8, not %zu",
                            reduce->offset);
    if (reduce->offset > storage->size || reduce->size > storage->size - reduce->offset)
        return runtime_fail(runtime, -EINVAL,
                            "%zu bytes from offset %zu on are beyond the storage of %zu bytes",
                            reduce->size, reduce->offset, storage->size);
    return runtime_need(runtime, result, "result");
}

int steal_reduce(struct steal_collection *collection, enum steal_reduction reduction, size_t offset,
                 size_t count, void *result)
{
    const bool known = (size_t)reduction < ARRAY_COUNT(kinds);
    struct values values = {.kind = known ? &kinds[reduction] : NULL, .count = count};
    struct reduce reduce = {collection, offset, 0, values_combine, &values};
    int status = 0;

    if (!collection)
        return -EINVAL;
    if (!known)
        status = runtime_fail(collection->runtime, -EINVAL, "reduction %d does not exist",
                              (int)reduction);
    else if (__builtin_mul_overflow(count, values.kind->size, &reduce.size))
        reduce.size = SIZE_MAX;
    if (status == 0)
        status = reduce_check(&reduce, result);
    status = ranks_meet(collection->runtime, CALL_REDUCE, collection->id, status);
    if (status < 0)
        return status;
    const int64_t digest = (int64_t)((uint64_t)reduction << 56 ^ (uint64_t)offset << 28 ^ count);
    return reduce_run(&reduce, digest, result);
}

int steal_reduce_with(struct steal_collection *collection, steal_combine *combine, void *context,
                      void *result)
{
    struct reduce reduce = {collection, 0, 0, combine, context};
    int status;

    if (!collection)
        return -EINVAL;
    reduce.size = collection->storage ? collection->storage->size : 0;
    status = runtime_need(collection->runtime, (const void *)combine, "combine");
    if (status == 0)
        status = reduce_check(&reduce, result);
    status = ranks_meet(collection->runtime, CALL_REDUCE_WITH, collection->id, status);
    return status < 0 ? status : reduce_run(&reduce, 0, result);
}
