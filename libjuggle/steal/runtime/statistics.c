/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/statistics.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/tables.h"

#include <errno.h>

/* The number of fields, without `size`. */
enum {
    SUMMED = (sizeof(struct steal_statistics) - offsetof(struct steal_statistics, tasks_executed)) /
             sizeof(int64_t)
};

void statistics_gather(struct steal_collection *collection, int64_t now_ns)
{
    struct steal_statistics *sum = &collection->statistics;

    collection->ended_ns = now_ns;
    sum->elapsed_ns += now_ns - collection->begin_ns;
    for (int i = 0; i < collection->runtime->workers; i++) {
        const int64_t *state_ns = collection->runtime->worker[i].activity.state_ns;

        collection->working_ns += state_ns[STEAL_STATE_WORKING];
        collection->idle_ns += state_ns[STEAL_STATE_SEARCHING] + state_ns[STEAL_STATE_TERMINATING];
    }
    for (int i = 0; i < collection->worker_tasks_length; i++) {
        const struct worker_tasks *worker_tasks = &collection->worker_tasks[i];
        const struct activity *activity = &collection->runtime->worker[i].activity;

        sum->tasks_executed += worker_tasks->executed;
        sum->sessions += worker_tasks->sessions;
        sum->session_ns += worker_tasks->session_ns;
        sum->session_max_ns = max_i64(sum->session_max_ns, worker_tasks->session_max_ns);
        sum->shares += worker_tasks->shares;
        sum->tasks_held_max = max_i64(sum->tasks_held_max, worker_tasks->deque.held_max);
        sum->tasks_held_max = max_i64(sum->tasks_held_max, tiers_held_max(&worker_tasks->tiers));
        sum->load_ns += worker_tasks->record.load_ns;
        sum->tasks_predicted += worker_tasks->record.error.tasks;
        sum->error_ns += worker_tasks->record.error.error_ns;
        for (int state = 0; state < STEAL_STATE_COUNT; state++)
            sum->state_ns[state] += activity->state_ns[state];
    }
    sum->load_max_ns = sum->load_ns;
    sum->predicted_ns += collection->predicted_ns;
    sum->predicted_max_ns = sum->predicted_ns;
    sum->balance_ns += collection->balanced.balance_ns;
    sum->tasks_moved += collection->balanced.tasks_moved;
    sum->gain_ns += collection->balanced.gain_ns;
    sum->cost_ns += collection->balanced.cost_ns;
    collection->balanced = (struct balance_account){0};
    collection->predicted = 0;
    collection->predicted_ns = 0;
}

static int statistics_expect(struct steal_runtime *runtime,
                             const struct steal_statistics *statistics)
{
    const int result = runtime_need(runtime, statistics, "statistics");

    return result < 0 ? result
                      : versioned_check(&versioned_statistics, statistics->size, runtime->message);
}

int steal_statistics_rank(const struct steal_collection *collection,
                          struct steal_statistics *statistics)
{
    int result;

    if (!collection)
        return -EINVAL;
    result = statistics_expect(collection->runtime, statistics);
    if (result < 0)
        return result;
    runtime_forget(collection->runtime);
    versioned_write(&collection->statistics, statistics);
    return 0;
}

int steal_statistics_sum(struct steal_collection *collection, struct steal_statistics *out)
{
    struct steal_statistics sum = collection ? collection->statistics
                                             : (struct steal_statistics){0};
    int64_t *const greatest_at[] = {&sum.session_max_ns, &sum.tasks_held_max,   &sum.elapsed_ns,
                                    &sum.load_max_ns,    &sum.predicted_max_ns, &sum.balance_ns,
                                    &sum.gain_ns,        &sum.cost_ns};
    int64_t greatest[ARRAY_COUNT(greatest_at)];
    struct steal_runtime *runtime;
    int result;

    if (!collection)
        return -EINVAL;
    runtime = collection->runtime;
    result = ranks_meet(runtime, CALL_STATISTICS, collection->id, statistics_expect(runtime, out));
    for (size_t i = 0; i < ARRAY_COUNT(greatest); i++)
        greatest[i] = *greatest_at[i];
    if (result == 0)
        result = ranks_sum(runtime, &sum.tasks_executed, SUMMED);
    if (result == 0)
        result = ranks_max(runtime, greatest, ARRAY_COUNT(greatest));
    if (result < 0)
        return result;
    for (size_t i = 0; i < ARRAY_COUNT(greatest); i++)
        *greatest_at[i] = greatest[i];
    versioned_write(&sum, out);
    return 0;
}
