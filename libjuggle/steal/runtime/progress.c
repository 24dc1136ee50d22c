/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/progress.h"

#include "libjuggle/steal/runtime/talk.h"

static void progress_tell(struct steal_collection *collection, int64_t now_ns)
{
    const struct steal_options *options = &collection->runtime->options;
    struct peer_report report = peer_progress(&collection->peer, collection_executed(collection));
    int64_t interval_ns = now_ns - collection->reported_ns;
    struct steal_progress progress = {
        .size = sizeof(progress),
        .elapsed_ns = now_ns - collection->begin_ns,
        .tasks_executed = report.executed,
        .tasks_per_s = (double)(report.executed - collection->reported_executed) *
                       (double)NSEC_PER_SEC / (double)interval_ns,
        .ranks = steal_ranks(collection->runtime),
        .ranks_active = (int)report.active,
    };

    collection->reported_executed = report.executed;
    if (options->progress && steal_rank(collection->runtime) == 0)
        options->progress(options->progress_context, &progress);
}

int progress_report(struct steal_collection *collection)
{
    struct peer_event tick = {.kind = PEER_TICK};
    int64_t now_ns;

    if (collection->report_interval_ns == 0)
        return 0;
    now_ns = runtime_now(collection->runtime);
    if (now_ns - collection->reported_ns < collection->report_interval_ns)
        return 0;
    progress_tell(collection, now_ns);
    collection->reported_ns = now_ns;
    tick.executed = collection_executed(collection);
    return talk_step(collection, &tick);
}
