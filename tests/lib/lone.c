/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/lone.h"

#include "libjuggle/steal/runtime/runtime.h"
#include "tools/steal-sim/network.h"
#include "tests/lib/suite.h"

#include <string.h>

struct lone lone;

const struct steal_options lone_threads = {
    .size = sizeof(struct steal_options), .mode = STEAL_MODE_THREADS, .workers = LONE_WORKERS};

int64_t lone_latency_ns(const void *context, int from, int to)
{
    (void)context, (void)from, (void)to;
    return 1;
}

void lone_nothing(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
}

void lone_note(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const uint64_t *task = tasks;

    (void)local;
    if (count > lone.largest)
        lone.largest = count;
    for (size_t i = 0; i < count; i++) {
        const uint64_t child = task[i] + 100;

        lone.seen[lone.count++] = task[i];
        if (task[i] == lone.drop)
            steal_forget(worker, i);
        if (lone.factor_ns > 0)
            steal_took(worker, i, lone.factor_ns * (int64_t)task[i]);
        if (lone.parents && task[i] < 100)
            ck_assert_int_eq(steal_add(worker, lone.collection, &child, sizeof(child)), 0);
    }
}

void lone_open_among(int ranks, struct steal_properties properties,
                     const struct steal_options *options, steal_exec *exec)
{
    const struct network_settings settings = {.ranks = ranks, .latency_ns = lone_latency_ns};

    memset(&lone, 0, sizeof(lone));
    ck_assert_int_eq(network_open(&settings, &lone.network), 0);
    ck_assert_int_eq(runtime_open(network_endpoint(lone.network, 0), options, &lone.runtime, NULL),
                     0);
    ck_assert_int_eq(steal_function_register(lone.runtime, "play", exec, &properties.function), 0);
    properties.size = sizeof(properties);
    properties.task_size = sizeof(uint64_t);
    ck_assert_int_eq(steal_collection_create(lone.runtime, &properties, &lone.collection), 0);
}

void lone_open_function(struct steal_properties properties, const struct steal_options *options,
                        steal_exec *exec)
{
    lone_open_among(1, properties, options, exec);
}

void lone_open(struct steal_properties properties)
{
    lone_open_function(properties, NULL, lone_note);
}

void lone_close(void)
{
    steal_collection_destroy(lone.collection);
    steal_runtime_destroy(lone.runtime);
    network_close(lone.network);
}

int lone_try_add(uint64_t task)
{
    return steal_add(steal_seeder(lone.runtime), lone.collection, &task, sizeof(task));
}

void lone_add(uint64_t task)
{
    ck_assert_int_eq(lone_try_add(task), 0);
}

void lone_expect_worker_message(const struct steal_worker *worker, const char *part)
{
    expect_says(steal_worker_message(worker), part);
}

void lone_process(void)
{
    lone.count = 0;
    ck_assert_int_eq(steal_process(lone.collection), 0);
}

void lone_restore_and_process(void)
{
    ck_assert_int_eq(steal_restore(lone.collection), 0);
    lone_process();
}

void lone_expect_seen(const uint64_t *tasks, size_t count)
{
    ck_assert_uint_eq(lone.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(lone.seen[i], tasks[i]);
}

const struct history *lone_history(uint32_t index)
{
    return ledger_history_at(&lone.collection->worker_tasks[0].record.ledger, index);
}

struct steal_statistics lone_statistics(void)
{
    struct steal_statistics statistics = {.size = sizeof(struct steal_statistics)};

    ck_assert_int_eq(steal_statistics_rank(lone.collection, &statistics), 0);
    return statistics;
}

uint64_t lone_key(const void *local, const void *task)
{
    (void)local;
    return *(const uint64_t *)task;
}

void lone_expect_message(const char *part)
{
    expect_says(steal_message(lone.runtime), part);
}

void lone_expect_error(int result, int error, const char *why)
{
    ck_assert_int_eq(result, error);
    ck_assert_str_eq(steal_message(lone.runtime), why);
}
