/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - working: a batch of tasks, or looking for some
 * - turns, from the first to the last of a collection, and the calls of the interface */
#include "libjuggle/steal/runtime/process.h"

#include "libjuggle/steal/runtime/reservation.h"
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/balance.h"
#include "libjuggle/steal/runtime/broken.h"
#include "libjuggle/steal/runtime/checkpoint.h"
#include "libjuggle/steal/runtime/counting.h"
#include "libjuggle/steal/runtime/delivery.h"
#include "libjuggle/steal/runtime/inbox.h"
#include "libjuggle/steal/runtime/pausing.h"
#include "libjuggle/steal/runtime/progress.h"
#include "libjuggle/steal/runtime/scatter.h"
#include "libjuggle/steal/runtime/statistics.h"
#include "libjuggle/steal/runtime/talk.h"
#include "libjuggle/steal/runtime/team.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>

/* A polling rank looks for messages at least this often, unless a single batch takes longer. */
static const int64_t POLL_INTERVAL_NS = 50 * NSEC_PER_USEC;

/* If ranks share processors, messages are polled for this many times less often. An MPI that yields
 * whenever it finds no message would switch to another rank at each poll, which costs more than a
 * late answer. */
enum { POLL_CROWDED = 4 };

/* ---- working ------------------------------------------------------------------------------- */

/* Adapts the number of tasks between two polls: 1 if tasks are long, hundreds if they are short, so
 * that the clock is not read for each task. */
static void process_pace(struct steal_collection *collection)
{
    const int64_t patience = collection->runtime->crowded ? POLL_CROWDED : 1;
    const int64_t interval_ns = patience * POLL_INTERVAL_NS;
    const int64_t most = patience * (int64_t)collection->properties.poll_tasks;
    int64_t now_ns = runtime_now(collection->runtime);
    int64_t elapsed_ns = now_ns - collection->polled_ns;

    collection->polled_ns = now_ns;
    if (elapsed_ns > interval_ns)
        collection->pace = (uint32_t)max_i64(collection->pace / 2, 1);
    else if (elapsed_ns < interval_ns / 2)
        collection->pace = (uint32_t)min_i64(2 * (int64_t)collection->pace, most);
}

/* Tells all ranks of a cancellation, a stop or a checkpoint that tasks, the clock or the program
 * have asked for here. Returns 1 if there was one, 0 or -errno. Once the end is found it is too
 * late to tell of a cancellation, because other ranks may have left already. */
static int process_tell_asked(struct steal_collection *collection)
{
    const struct peer *peer = &collection->peer;
    int result;

    if (!(halt_of(collection) & HALT_CANCEL) || peer->canceled || peer->phase != PEER_RUNNING)
        return pausing_turn(collection);
    result = talk_step(collection, &(struct peer_event){.kind = PEER_CANCEL});
    return result < 0 ? result : 1;
}

/* Tells the protocol that the rank has run dry. A rank that was asked to stop meanwhile looks dry,
 * too, although it has tasks: so the stop is told first. */
static int process_dry(struct steal_collection *collection)
{
    int result = broken_tasks(collection);

    if (result == 0)
        result = process_tell_asked(collection);
    if (result == 0)
        result = counting_turn(collection);
    if (result != 0)
        return result;
    result = delivery_turn(collection);
    if (result < 0)
        return result;
    talk_search(collection);
    return talk_step(
        collection,
        &(struct peer_event){.kind = PEER_DRY,
                             .left = collection->peer.pause_reasons ? image_held(collection) : 0});
}

static int process_work(struct steal_collection *collection)
{
    struct worker_tasks *worker_tasks = &collection->worker_tasks[0];
    uint32_t done = 0, count;

    worker_tasks->record.clock = 0;
    while (done < collection->pace &&
           (count = worker_tasks_work(collection, &collection->runtime->worker[0], worker_tasks)) >
               0)
        done += count;
    if (done == 0) {
        const int unstashed = halt_pauses(collection) ? 0 : inbox_unstash(collection);

        return unstashed != 0 ? unstashed : process_dry(collection);
    }
    process_pace(collection);
    return (int)done;
}

/* ---- turns --------------------------------------------------------------------------------- */

void process_begin(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    const bool has_tasks = image_has_tasks(collection);

    collection->begin_ns = runtime_now(runtime);
    stopwatch_set(&runtime->stopwatch, runtime->transport);
    collection->polled_ns = collection->begin_ns;
    collection->reported_ns = collection->begin_ns;
    collection->reported_executed = 0;
    collection->pace = 1;
    if (!collection->stopped) {
        collection->statistics = (struct steal_statistics){0};
        collection->working_ns = collection->idle_ns = 0;
    }
    collection->recorded = false;
    for (int i = 0; i < collection->worker_tasks_length; i++)
        worker_tasks_begin(&collection->worker_tasks[i], &runtime->worker[i], !collection->stopped,
                           collection->begin_ns);
    runtime->processing = collection;
    runtime->culprit = NULL;
    runtime->seeder.closed = true;
    if (collection->results)
        results_begin(collection->results, !collection->stopped);
    collection->stopped = false;
    peer_begin(&collection->peer, ++runtime->epoch, has_tasks);
    collection->started = false;
}

/* The first turn: sorts and scatters tasks, then starts the threads. */
static int process_start(struct steal_collection *collection)
{
    int result = 0;

    collection->started = true;
    for (int i = 0; i < collection->worker_tasks_length && result == 0; i++)
        result = worker_tasks_sort(collection, &collection->worker_tasks[i]);
    if (result == 0)
        result = (int)min_i64(counting_turn(collection), 0);
    if (result == 0)
        result = scatter_tasks(collection);
    if (collection->runtime->team)
        team_start(collection->runtime->team, collection);
    return result;
}

bool process_over(const struct steal_collection *collection)
{
    return collection->peer.phase == PEER_DONE;
}

static int process_advance(struct steal_collection *collection)
{
    int result;

    if (process_over(collection))
        return 0;
    if ((result = process_tell_asked(collection)) != 0 || collection->peer.idle)
        return result;
    if (!collection->runtime->team)
        return process_work(collection);
    if (!team_dry(collection))
        return team_starves(collection) ? -ENOMEM : 0;
    if (collection->stash && !halt_pauses(collection))
        return inbox_unstash(collection);
    return process_dry(collection);
}

int process_turn(struct steal_collection *collection)
{
    bool was_running = collection->peer.phase == PEER_RUNNING;
    int begun = collection->started ? 0 : process_start(collection);
    int handled = begun < 0 ? begun : talk_handle_all(collection);
    int result = handled < 0 ? handled : talk_deal(collection);
    int done = result < 0 ? result : process_advance(collection);

    result = done < 0 ? done : talk_tell_bound(collection);
    if (result == 0 && !process_over(collection)) {
        const int counted = counting_turn(collection);
        const int delivered = counted < 0 ? counted : delivery_turn(collection);

        result = delivered < 0 ? delivered : 0;
        done += counted > 0 || delivered > 0;
    }
    if (result == 0)
        result = progress_report(collection);
    if (was_running && collection->peer.phase != PEER_RUNNING)
        talk_search_end(collection, STEAL_STATE_TERMINATING);
    return result < 0 ? result : handled + done;
}

void process_end(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    int64_t now_ns;

    if (runtime->team)
        team_stop(runtime->team);
    if (collection->results && collection->stopped)
        results_flush(collection->results);
    else if (collection->results)
        results_end(collection->results);
    /* A wish for a checkpoint that came too late for this process is kept for the next one. */
    halt_clear(collection, HALT_CANCEL | (collection->peer.pause_reasons ? HALT_PAUSE : 0U));
    now_ns = runtime_now(runtime);
    for (int i = 0; i < collection->worker_tasks_length; i++)
        activity_end(&runtime->worker[i].activity, now_ns);
    statistics_gather(collection, now_ns);
    runtime->processing = NULL;
    runtime->seeder.closed = false;
    collection->processed = !collection->stopped;
    collection->recorded = !collection->stopped;
    collection->processes += !collection->stopped;
}

/* Prefetches the cache lines of these bytes. */
static void prefetch(const struct steal_collection *collection, size_t from, size_t to)
{
    for (size_t at = from - from % DEQUE_LINE; at < to; at += DEQUE_LINE)
        __builtin_prefetch((const char *)collection + at);
}

void process_prefetch(const struct steal_collection *collection)
{
    prefetch(collection, 0, offsetof(struct steal_collection, peer.lifelines.to));
    prefetch(collection, offsetof(struct steal_collection, statistics.steals_attempted),
             offsetof(struct steal_collection, statistics.elapsed_ns));
}

/*
 * Waits, because there is nothing to do until a message comes. A rank that shares its processor
 * sleeps even while it awaits an answer: in a loop of sched_yield() it looks busy, and the kernel
 * leaves it a processor for itself while two ranks with tasks share the other one. But if the
 * transport yields whenever it finds no message, victims answer soon, and a rank that sleeps is
 * late: it yields instead.
 */
static void process_relax(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;

    if (runtime->team && !collection->peer.idle)
        team_wait(runtime->team, steal_ranks(runtime) > 1);
    else if (peer_dormant(&collection->peer) || (runtime->crowded && !runtime->transport->yields))
        nap_take(&collection->nap, runtime->crowded);
    else if (runtime->crowded)
        sched_yield();
}

/* Takes turns until this epoch is over. */
static int process_run(struct steal_collection *collection)
{
    int result = 0;

    while (result >= 0 && !process_over(collection)) {
        result = process_turn(collection);
        if (result == 0)
            process_relax(collection);
        else
            collection->nap = (struct nap){0};
    }
    if (result < 0)
        result = broken_leave(collection, result);
    if (collection->runtime->team)
        team_stop(collection->runtime->team);
    return (int)min_i64(result, 0);
}

/* Runs one epoch after the other, from checkpoint to checkpoint, and ends the process. */
static int process_run_all(struct steal_collection *collection)
{
    int result;

    do {
        result = process_run(collection);
        if (result == 0)
            result = pausing_settle(collection);
    } while (result > 0);
    process_end(collection);
    return result;
}

/* Collective: returns on all ranks what went wrong on any of them, in tasks, with results or
 * counters. */
static int process_outcome(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    const struct steal_worker *culprit = runtime->culprit;

    /* Workers that saw a stop before the cancellation have left their tasks in the deques. */
    if (collection->peer.canceled)
        image_clear_tasks(collection);

    const int accounted = runtime->account ? account_add(collection) : 0;
    const int delivered = delivery_outcome(collection), counted = counting_outcome(collection);
    int result = accounted < 0 ? accounted : delivered < 0 ? delivered : counted;

    if (result < 0 || !collection->peer.canceled)
        return result;
    if (culprit)
        result = runtime_fail(runtime, -EBUSY, "%s", steal_worker_message(culprit));
    result = ranks_succeed(runtime, result);
    if (result < 0)
        return result;
    return runtime_fail(runtime, -ECANCELED, "canceled by rank %d", collection->peer.canceler);
}

/* The process that an exception leaves unfinished when it passes through steal_process(). */
struct unfinished {
    struct steal_collection *collection; /* NULL: nothing */
};

/* Runs when an exception unwinds: cancels the process and ends it, because the other ranks would
 * wait for this one. */
static void process_abandon(struct unfinished *unfinished)
{
    struct steal_collection *collection = unfinished->collection;

    if (!collection)
        return;
    reservations_drop(&collection->runtime->worker[0]);
    halt_set(collection, HALT_CANCEL);
    if (process_run_all(collection) == 0)
        (void)process_outcome(collection);
}

/* The outcome when all is done, or canceled. If the checkpoint cannot be written, the process
 * counts as stopped: the next one goes on, has only the file left to write, and forgets nothing
 * that was executed. */
static int process_finish(struct steal_collection *collection)
{
    int result = process_outcome(collection);

    if (result < 0 || !collection->checkpoint)
        return result;
    result = checkpoint_save_last(collection);
    if (result < 0) {
        collection->stopped = true;
        collection->processes--;
    }
    return result;
}

static int process_until(struct steal_collection *collection, enum call call, int64_t time_ns)
{
    struct unfinished unfinished __attribute__((cleanup(process_abandon))) = {NULL};
    struct steal_runtime *runtime;
    int result;

    runtime = collection->runtime;
    result = time_ns >= 0
                 ? reservation_check(collection)
                 : runtime_fail(runtime, -EINVAL, "a time must not be negative: %" PRId64, time_ns);
    if (result == 0)
        result = broken_before(runtime);
    result = ranks_meet(runtime, call, collection->id, result);
    if (result == 0 && !collection->stopped)
        result = balance_as_due(collection);
    if (result < 0)
        return result;
    runtime_forget(runtime);
    process_begin(collection);
    collection->stop_due_ns = time_ns < INT64_MAX - collection->begin_ns
                                  ? collection->begin_ns + time_ns
                                  : INT64_MAX;
    if (collection->checkpoint)
        checkpoint_schedule(collection->checkpoint, collection->begin_ns);
    else
        checkpoint_warn_unused(collection);
    unfinished.collection = collection;
    result = process_run_all(collection);
    unfinished.collection = NULL;
    if (result < 0)
        return result;
    result = collection->stopped ? delivery_outcome(collection) : process_finish(collection);
    /* A task may have ignored the failure of a call that tasks must not make: drops its message. */
    if (result == 0)
        runtime_forget(runtime);
    return result == 0 && collection->stopped ? STEAL_STOPPED : result;
}

int steal_process(struct steal_collection *collection)
{
    return collection ? process_until(collection, CALL_PROCESS, INT64_MAX) : -EINVAL;
}

int steal_process_for(struct steal_collection *collection, int64_t time_ns)
{
    return collection ? process_until(collection, CALL_PROCESS_FOR, time_ns) : -EINVAL;
}

int steal_cancel(struct steal_collection *collection)
{
    struct steal_runtime *runtime;

    if (!collection)
        return -EINVAL;
    runtime = collection->runtime;
    if (!runtime->processing)
        return runtime_fail(runtime, -EINVAL, "steal_cancel() outside of a task");
    if (runtime->processing != collection)
        return runtime_fail(runtime, -EINVAL,
                            "collection %d of '%s' cannot be canceled: it is not being processed",
                            collection->id, collection_name(collection));
    halt_set(collection, HALT_CANCEL);
    return 0;
}
