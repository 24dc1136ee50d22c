/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/checkpointed.h"

#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include <string.h>

struct checkpointed checkpointed;

void checkpointed_count(struct steal_worker *worker, uint64_t task)
{
    int64_t *sum = steal_storage(worker, lone.collection);
    const int executed = ++checkpointed.executed;

    checkpointed.visits[task]++;
    if (sum)
        *sum += (int64_t)task;
    if (executed == checkpointed.stop_at)
        ck_assert_int_eq(steal_stop(lone.collection), 0);
    if (executed == checkpointed.save_at)
        ck_assert_int_eq(steal_checkpoint_now(lone.collection), 0);
}

void checkpointed_note(struct steal_worker *worker, void *local, const void *tasks, size_t number)
{
    const uint64_t *task = tasks;

    (void)local;
    for (size_t i = 0; i < number; i++) {
        const uint64_t child = task[i] + CHECKPOINTED_TASKS;

        checkpointed_count(worker, task[i]);
        if (task[i] < CHECKPOINTED_TASKS)
            ck_assert_int_eq(steal_add(worker, lone.collection, &child, sizeof(child)), 0);
    }
}

void checkpointed_begin(struct steal_properties properties, const struct steal_options *options,
                        steal_exec *exec)
{
    checkpointed.stop_at = checkpointed.save_at = 0;
    lone_open_function(properties, options, exec);
}

void checkpointed_begin_anew(struct steal_properties properties,
                             const struct steal_options *options, steal_exec *exec)
{
    memset(&checkpointed, 0, sizeof(checkpointed));
    scratch_name(checkpointed.path, sizeof(checkpointed.path));
    checkpointed_begin(properties, options, exec);
}

void checkpointed_seed(void)
{
    for (uint64_t task = 0; task < CHECKPOINTED_TASKS; task++)
        lone_add(task);
}

int checkpointed_write(void)
{
    const struct steal_checkpoint settings = {.size = sizeof(settings),
                                              .path = checkpointed.path,
                                              .data = checkpointed.data,
                                              .data_size = CHECKPOINTED_DATA};

    return steal_checkpoint(lone.collection, &settings);
}

void checkpointed_expect_all_once(uint64_t tasks)
{
    for (uint64_t task = 0; task < tasks; task++)
        ck_assert_int_eq(checkpointed.visits[task], 1);
}

int64_t checkpointed_sum(void)
{
    int64_t sum = 0;

    ck_assert_int_eq(steal_reduce(lone.collection, STEAL_REDUCTION_SUM, 0, 1, &sum), 0);
    return sum;
}
