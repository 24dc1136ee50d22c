/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/statistics.h"

#include "libjuggle/steal/runtime/agreement.h"

void statistics_gather(struct steal_collection *collection, int64_t now_ns)
{
    struct steal_statistics *sum = &collection->statistics;

    sum->elapsed_ns = now_ns - collection->begin_ns;
    for (int i = 0; i < collection->stations; i++) {
        const struct station *station = &collection->station[i];
        const struct activity *activity = &collection->runtime->worker[i].activity;

        sum->tasks_executed += station->executed;
        sum->sessions += station->sessions;
        sum->session_ns += station->session_ns;
        sum->session_max_ns = max_i64(sum->session_max_ns, station->session_max_ns);
        sum->shares += station->shares;
        sum->tasks_held_max = max_i64(sum->tasks_held_max, station->deque.held_max);
        for (int state = 0; state < STEAL_STATE_COUNT; state++)
            sum->state_ns[state] += activity->state_ns[state];
    }
}

void steal_statistics_rank(const struct steal_collection *collection,
                           struct steal_statistics *statistics)
{
    *statistics = collection->statistics;
}

int steal_statistics_sum(struct steal_collection *collection, struct steal_statistics *out)
{
    struct steal_runtime *runtime = collection->runtime;
    struct steal_statistics sum = collection->statistics;
    int64_t greatest[] = {sum.session_max_ns, sum.tasks_held_max, sum.elapsed_ns};
    int result = ranks_meet(runtime, CALL_STATISTICS, collection->id);

    if (result == 0)
        result = ranks_sum(runtime, (int64_t *)&sum, sizeof(sum) / sizeof(int64_t));
    if (result == 0)
        result = ranks_max(runtime, greatest, ARRAY_COUNT(greatest));
    if (result < 0)
        return result;
    sum.session_max_ns = greatest[0];
    sum.tasks_held_max = greatest[1];
    sum.elapsed_ns = greatest[2];
    *out = sum;
    return 0;
}
