/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/kept.h"

#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include <string.h>

struct kept kept;

void kept_count(struct steal_worker *worker, uint64_t task)
{
    int64_t *sum = steal_storage(worker, lone.collection);
    const int executed = ++kept.executed;

    kept.visits[task]++;
    if (sum)
        *sum += (int64_t)task;
    if (executed == kept.stop_at)
        ck_assert_int_eq(steal_stop(lone.collection), 0);
    if (executed == kept.save_at)
        ck_assert_int_eq(steal_checkpoint_now(lone.collection), 0);
}

void kept_play(struct steal_worker *worker, void *local, const void *tasks, size_t number)
{
    const uint64_t *task = tasks;

    (void)local;
    for (size_t i = 0; i < number; i++) {
        const uint64_t child = task[i] + KEPT_TASKS;

        kept_count(worker, task[i]);
        if (task[i] < KEPT_TASKS)
            ck_assert_int_eq(steal_add(worker, lone.collection, &child, sizeof(child)), 0);
    }
}

void kept_begin(struct steal_properties properties, const struct steal_options *options,
                steal_exec *exec)
{
    kept.stop_at = kept.save_at = 0;
    lone_open_function(properties, options, exec);
}

void kept_begin_anew(struct steal_properties properties, const struct steal_options *options,
                     steal_exec *exec)
{
    memset(&kept, 0, sizeof(kept));
    scratch_name(kept.path, sizeof(kept.path));
    kept_begin(properties, options, exec);
}

void kept_seed(void)
{
    for (uint64_t task = 0; task < KEPT_TASKS; task++)
        lone_add(task);
}

int kept_checkpoint(void)
{
    const struct steal_checkpoint settings = {
        .size = sizeof(settings), .path = kept.path, .data = kept.data, .data_size = KEPT_DATA};

    return steal_checkpoint(lone.collection, &settings);
}

void kept_expect_all_once(uint64_t tasks)
{
    for (uint64_t task = 0; task < tasks; task++)
        ck_assert_int_eq(kept.visits[task], 1);
}

int64_t kept_sum(void)
{
    int64_t sum = 0;

    ck_assert_int_eq(steal_reduce(lone.collection, STEAL_REDUCTION_SUM, 0, 1, &sum), 0);
    return sum;
}
