/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/process.h"

#include "libjuggle/steal/runtime/team.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* A polling rank looks for messages at least this often, unless a single batch takes longer. */
static const int64_t POLL_INTERVAL_NS = 50 * NSEC_PER_USEC;

/* The one that talks to other ranks: the only worker when polling, otherwise the server. */
static struct steal_worker *process_speaker(struct steal_collection *collection)
{
    return &collection->runtime->worker[collection->stations - 1];
}

/* Where tasks that arrive go. */
static struct station *process_inbox(struct steal_collection *collection)
{
    return &collection->station[collection->stations - 1];
}

static int64_t executed_here(const struct steal_collection *collection)
{
    int64_t executed = 0;

    for (int i = 0; i < collection->stations; i++)
        executed += atomic_load_explicit(&collection->station[i].executed, memory_order_relaxed);
    return executed;
}

/* ---- sessions ------------------------------------------------------------------------------ */

void session_begin(struct station *station, struct steal_worker *worker, int64_t now_ns)
{
    activity_enter(&worker->activity, STEAL_STATE_SEARCHING, now_ns);
    station->session_begin_ns = now_ns;
    station->sessions++;
}

void session_end(struct station *station, struct steal_worker *worker, enum steal_state next,
                 int64_t now_ns)
{
    int64_t length_ns = now_ns - station->session_begin_ns;

    activity_enter(&worker->activity, next, now_ns);
    station->session_ns += length_ns;
    station->session_max_ns = max_i64(station->session_max_ns, length_ns);
}

static void process_enter(struct steal_collection *collection, enum steal_state state)
{
    activity_enter(&process_speaker(collection)->activity, state, runtime_now(collection->runtime));
}

/* The rank as a whole; in threads mode its sessions are those of its threads. */
static void process_search(struct steal_collection *collection)
{
    struct steal_worker *speaker = process_speaker(collection);
    int64_t now_ns = runtime_now(collection->runtime);

    if (collection->runtime->team)
        activity_enter(&speaker->activity, STEAL_STATE_SEARCHING, now_ns);
    else
        session_begin(process_inbox(collection), speaker, now_ns);
}

static void process_search_end(struct steal_collection *collection, enum steal_state next)
{
    struct steal_worker *speaker = process_speaker(collection);
    int64_t now_ns = runtime_now(collection->runtime);

    if (collection->runtime->team)
        activity_enter(&speaker->activity, next, now_ns);
    else
        session_end(process_inbox(collection), speaker, next, now_ns);
    collection->polled_ns = now_ns;
}

/* ---- talking ------------------------------------------------------------------------------- */

/* Puts tasks for a thief into the transport's room. A rank that polls decides only now what it
 * shares, and keeps a task; workers of a team share all along. */
static uint32_t process_grant(struct steal_collection *collection)
{
    struct transport *transport = collection->transport;
    const struct steal_properties *properties = &collection->properties;
    struct deque *deque = &collection->station[0].deque;
    struct deque_tail *tail = deque->tail;
    struct deque_claim claim;
    uint32_t available;

    if (collection->runtime->team) {
        tail = team_richest(collection);
        available = deque_tail_count(tail);
        if (available == 0)
            team_want(collection->runtime->team);
    } else {
        available = deque_count(deque) - (deque_count(deque) > 0);
    }
    uint32_t want = (uint32_t)min_i64(
        amount_of(properties->amount, (uint32_t)properties->chunk, available),
        collection->grant_max);
    void *room = want > 0 ? transport->ops->room(transport) : NULL;
    if (!room)
        return 0;
    if (!collection->runtime->team && deque_tail_count(tail) < want)
        deque_release(deque, want - deque_tail_count(tail));
    uint32_t granted = deque_claim(tail, want, &claim);
    if (granted > 0) {
        deque_copy(tail, &claim, room);
        deque_complete(tail, &claim);
    }
    return granted;
}

static int process_send(struct steal_collection *collection, const struct message *message)
{
    struct transport *transport = collection->transport;
    struct steal_statistics *statistics = &collection->statistics;
    size_t size = 0;

    statistics->messages++;
    if (message->kind == MESSAGE_REQUEST)
        statistics->steals_attempted++;
    if (message->kind == MESSAGE_TASKS) {
        statistics->tasks_given += message->count;
        size = message->count * collection->stride;
    }
    return transport->ops->send(transport, message, size);
}

static int process_step(struct steal_collection *collection, const struct peer_event *event)
{
    struct peer_plan plan;
    int result = 0;

    peer_step(&collection->peer, event, &plan);
    for (int i = 0; i < plan.count && result == 0; i++)
        result = process_send(collection, &plan.message[i]);
    return result;
}

/* The thief was idle when it asked, and grants fit into an empty deque. */
static int process_accept(struct steal_collection *collection, const struct message *message,
                          const void *tasks)
{
    struct station *inbox = process_inbox(collection);
    size_t stride = collection->stride;

    for (uint32_t done = 0; done < message->count;) {
        uint32_t count = (uint32_t)min_i64(
            message->count - done, min_i64(DEQUE_RESERVE_MAX, inbox->deque.tail->first_capacity));
        void *room = deque_reserve(&inbox->deque, count);

        if (!room)
            return -ENOSPC;
        memcpy(room, (const char *)tasks + done * stride, count * stride);
        deque_commit(&inbox->deque, count);
        done += count;
    }
    if (collection->runtime->team)
        deque_release(&inbox->deque, message->count);
    return 0;
}

static int process_taken(struct steal_collection *collection, const struct message *message,
                         const void *tasks)
{
    struct steal_statistics *statistics = &collection->statistics;

    if (message->count == 0) {
        statistics->steals_failed++;
        return 0;
    }
    statistics->steals_successful++;
    statistics->tasks_taken += message->count;
    process_search_end(collection, STEAL_STATE_WORKING);
    return process_accept(collection, message, tasks);
}

static int process_hear(struct steal_collection *collection, const struct message *message,
                        const void *tasks)
{
    struct peer_event event = {.kind = PEER_MESSAGE, .message = *message};
    bool answering = message->kind == MESSAGE_REQUEST && !collection->peer.idle;
    int result = 0;

    if (answering) {
        process_enter(collection, STEAL_STATE_ANSWERING);
        event.granted = process_grant(collection);
    } else if (message->kind == MESSAGE_TASKS) {
        result = process_taken(collection, message, tasks);
    }
    if (result == 0)
        result = process_step(collection, &event);
    if (answering)
        process_enter(collection, STEAL_STATE_WORKING);
    return result;
}

static int process_hear_all(struct steal_collection *collection)
{
    struct transport *transport = collection->transport;
    struct message message;
    const void *tasks;
    int heard = 0;
    int result = 0;

    while (!process_over(collection) &&
           (result = transport->ops->receive(transport, collection->peer.epoch, &message, &tasks)) >
               0) {
        result = process_hear(collection, &message, tasks);
        if (result < 0)
            break;
        heard++;
    }
    return result < 0 ? result : heard;
}

/* ---- working ------------------------------------------------------------------------------- */

static void station_record(struct steal_collection *collection, struct station *station,
                           uint32_t count)
{
    size_t stride = collection->stride;

    if ((station->recorded + count) * stride > collection->properties.memory_max) {
        station->record_full = true;
        return;
    }
    memcpy(station->record + station->recorded * stride, station->batch, count * stride);
    station->recorded += count;
}

void station_execute(struct steal_collection *collection, struct steal_worker *worker,
                     struct station *station, uint32_t count)
{
    int64_t executed = atomic_load_explicit(&station->executed, memory_order_relaxed);

    if (station->record)
        station_record(collection, station, count);
    collection->exec(worker, collection->properties.local, station->batch, count);
    atomic_store_explicit(&station->executed, executed + count, memory_order_relaxed);
}

/* Long tasks are polled after one by one, short ones in hundreds, without a clock for each. */
static void process_pace(struct steal_collection *collection)
{
    int64_t now_ns = runtime_now(collection->runtime);
    int64_t elapsed_ns = now_ns - collection->polled_ns;

    collection->polled_ns = now_ns;
    if (elapsed_ns > POLL_INTERVAL_NS)
        collection->pace = (uint32_t)max_i64(collection->pace / 2, 1);
    else if (elapsed_ns < POLL_INTERVAL_NS / 2)
        collection->pace = (uint32_t)min_i64(2 * (int64_t)collection->pace,
                                             (int64_t)collection->properties.poll_tasks);
}

static int process_dry(struct steal_collection *collection)
{
    process_search(collection);
    return process_step(collection, &(struct peer_event){.kind = PEER_DRY});
}

static int process_work(struct steal_collection *collection)
{
    struct station *station = &collection->station[0];
    uint32_t most = (uint32_t)collection->properties.batch;
    uint32_t done = 0, count;

    while (done < collection->pace &&
           (count = deque_pop(&station->deque, station->batch, most)) > 0) {
        station_execute(collection, &collection->runtime->worker[0], station, count);
        done += count;
    }
    if (done == 0)
        return process_dry(collection);
    process_pace(collection);
    return (int)done;
}

/* ---- progress ------------------------------------------------------------------------------ */

static void progress_tell(struct steal_collection *collection, int64_t now_ns)
{
    const struct steal_options *options = &collection->runtime->options;
    struct peer_report report = peer_progress(&collection->peer, executed_here(collection));
    int64_t interval_ns = now_ns - collection->reported_ns;
    struct steal_progress progress = {
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

static int process_report(struct steal_collection *collection)
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
    tick.executed = executed_here(collection);
    return process_step(collection, &tick);
}

/* ---- turns --------------------------------------------------------------------------------- */

static void station_begin(struct station *station)
{
    station->executed = 0;
    station->recorded = 0;
    station->record_full = false;
    station->sessions = 0;
    station->session_ns = 0;
    station->session_max_ns = 0;
    station->shares = 0;
    station->deque.held_max = deque_count(&station->deque);
}

void process_begin(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    bool has_tasks = false;

    collection->begin_ns = runtime_now(runtime);
    collection->polled_ns = collection->begin_ns;
    collection->reported_ns = collection->begin_ns;
    collection->reported_executed = 0;
    collection->pace = 1;
    collection->statistics = (struct steal_statistics){0};
    for (int i = 0; i < collection->stations; i++) {
        station_begin(&collection->station[i]);
        has_tasks |= deque_count(&collection->station[i].deque) > 0;
        activity_begin(&runtime->worker[i].activity, STEAL_STATE_WORKING, collection->begin_ns);
    }
    runtime->processing = true;
    runtime->seeder.closed = true;
    peer_begin(&collection->peer, ++runtime->epoch, has_tasks);
    if (runtime->team)
        team_start(runtime->team, collection);
}

bool process_over(const struct steal_collection *collection)
{
    return collection->peer.phase == PEER_DONE;
}

static int process_advance(struct steal_collection *collection)
{
    if (process_over(collection) || collection->peer.idle)
        return 0;
    if (!collection->runtime->team)
        return process_work(collection);
    return team_dry(collection) ? process_dry(collection) : 0;
}

int process_turn(struct steal_collection *collection)
{
    bool was_running = collection->peer.phase == PEER_RUNNING;
    int heard = process_hear_all(collection);
    int done = heard < 0 ? heard : process_advance(collection);
    int result = done < 0 ? done : process_report(collection);

    if (was_running && collection->peer.phase != PEER_RUNNING)
        process_search_end(collection, STEAL_STATE_TERMINATING);
    return result < 0 ? result : heard + done;
}

static void statistics_gather(struct steal_collection *collection, int64_t now_ns)
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

void process_end(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    int64_t now_ns;

    if (runtime->team)
        team_stop(runtime->team);
    now_ns = runtime_now(runtime);
    for (int i = 0; i < collection->stations; i++)
        activity_end(&runtime->worker[i].activity, now_ns);
    statistics_gather(collection, now_ns);
    runtime->processing = false;
    runtime->seeder.closed = false;
    collection->processed = true;
}

void process_approach(const struct steal_collection *collection)
{
    for (size_t at = 0; at < offsetof(struct steal_collection, stations); at += DEQUE_LINE)
        __builtin_prefetch((const char *)collection + at);
}

/* Nothing to do until a message comes. */
static void process_relax(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;

    if (runtime->team && !collection->peer.idle)
        team_wait(runtime->team, steal_ranks(runtime) > 1);
    else if (runtime->crowded)
        sched_yield();
}

int steal_process(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    int result = 0;

    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "steal_process() from within a task");
    process_begin(collection);
    while (!process_over(collection) && (result = process_turn(collection)) >= 0)
        if (result == 0)
            process_relax(collection);
    process_end(collection);
    return result < 0 ? runtime_fail(runtime, result, "the ranks cannot be reached") : 0;
}

/* ---- statistics ---------------------------------------------------------------------------- */

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
    int result = steal_sum(runtime, (int64_t *)&sum, sizeof(sum) / sizeof(int64_t));

    if (result == 0)
        result = steal_max(runtime, greatest, ARRAY_COUNT(greatest));
    if (result < 0)
        return result;
    sum.session_max_ns = greatest[0];
    sum.tasks_held_max = greatest[1];
    sum.elapsed_ns = greatest[2];
    *out = sum;
    return 0;
}
