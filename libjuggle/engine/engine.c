/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. Balancers take the change lock for reading in each of their three steps; arrivals,
 * exits and processor changes take it for writing. Within a step the balancers touch disjoint data:
 * engine_sample the threads of its processor, engine_decide and engine_apply the buffers of their
 * domain. The caller orders the steps, so that each sees what the ones before have written.
 *
 * The parts, in this order: how the policy is asked, and how one move is made; the moves that a
 * change asks for, at the start in pieces; arrivals, exits and changes; the three steps of a
 * turn. */
#include "libjuggle/engine/state.h"

#include <errno.h>
#include <string.h>

/* ---- the policy, and one move ---- */

void turn_announce(struct engine *engine, int domain, int64_t next_ns)
{
    struct turn *turn = &engine->turns[domain];

    turn->period_ns = policy_period(engine->policy, domain);
    turn->following_ns = next_ns == INT64_MAX
                             ? INT64_MAX
                             : next_ns + policy_period_ahead(engine->policy, domain);
    turn->next_ns = next_ns;
}

/* Asks the policy for a plan. After a check has failed it is not asked, and the plan is empty. */
static void decide(struct engine *engine, const struct event *event, struct turn *turn)
{
    if (!fault_text(&engine->fault)) {
        policy_step(engine->policy, event, &turn->plan);
        if (policy_check(engine->policy, event, &turn->plan, &engine->fault) &&
            plan_check(engine, event, turn))
            return;
    }
    turn->plan.moves_count = 0;
    turn->plan.next_ns = INT64_MAX;
}

static void step(struct engine *engine, const struct event *event, struct turn *turn)
{
    if (!engine->recorder.record) {
        decide(engine, event, turn);
        return;
    }
    /* Under the lock, so that the recording has the events in the order in which the policy saw
     * them. */
    pthread_mutex_lock(&engine->recorder_lock);
    decide(engine, event, turn);
    engine->recorder.record(engine->recorder.context, event, &turn->plan);
    pthread_mutex_unlock(&engine->recorder_lock);
}

static void count_failure(struct engine *engine, int error)
{
    atomic_fetch_add_explicit(&engine->moves_failed_count, 1, memory_order_relaxed);
    pthread_mutex_lock(&engine->failures_lock);
    move_failures_add(&engine->failures, error, 1);
    pthread_mutex_unlock(&engine->failures_lock);
}

static int place(struct engine *engine, const struct move *move)
{
    if (!HOLDS(&engine->fault, move->thread >= 0 && move->thread < engine->threads_max))
        return -ESRCH;
    if (engine->threads[move->thread].state != THREAD_LIVE || !move_is_wanted(engine, move))
        return -ESRCH;

    const int error = engine->ports.place(engine->ports.world, move->thread, move);
    const bool migrated = !error && move->from >= 0 && move->from != move->to;

    atomic_fetch_add_explicit(&engine->migrations_count, migrated, memory_order_relaxed);
    if (error && error != -ESRCH)
        count_failure(engine, error);
    return error;
}

static struct event event_now(struct engine *engine, enum event_type type, int subject)
{
    return (struct event){
        .type = type,
        .subject = subject,
        .domain = -1,
        .now_ns = engine->ports.now(engine->ports.world),
    };
}

static void report_failure(struct engine *engine, int thread)
{
    const struct event event = event_now(engine, EVENT_MOVE_FAILED, thread);

    step(engine, &event, &engine->changes);
}

/* ---- the moves of a change ---- */

/* Makes the moves of `changes` from `at` on. False: until_ns came before all were made. */
static bool moves_place(struct engine *engine, int64_t until_ns, int *at, int *failed_count)
{
    struct turn *changes = &engine->changes;

    while (*at < changes->plan.moves_count) {
        const struct move *move = &changes->plan.moves[(*at)++];
        const int error = place(engine, move);
        if (error && error != -ESRCH && HOLDS(&engine->fault, *failed_count < engine->threads_max))
            changes->results[(*failed_count)++] = move->thread;
        if (until_ns != INT64_MAX && engine->ports.now(engine->ports.world) >= until_ns)
            return *at == changes->plan.moves_count;
    }
    return true;
}

static void failures_report(struct engine *engine, int failed_count)
{
    for (int i = 0; i < failed_count; i++)
        report_failure(engine, engine->changes.results[i]);
}

/* Carries out what a change asked for and tells the policy what failed, which it repairs in its
 * next period. A thread that is gone needs no repair: its exit will be reported. */
static void changes_apply(struct engine *engine)
{
    int at = 0, failed_count = 0;

    (void)moves_place(engine, INT64_MAX, &at, &failed_count);
    failures_report(engine, failed_count);
}

static void placing_begin(struct engine *engine)
{
    const struct event event = event_now(engine, EVENT_START, -1);

    step(engine, &event, &engine->changes);
    engine->placing = (struct placing){
        .has_begun = true, .is_under_way = true, .next_ns = engine->changes.plan.next_ns};
}

/* Places further threads; true when all are placed. No turn is announced before. */
static bool placing_go_on(struct engine *engine, int64_t until_ns)
{
    struct placing *placing = &engine->placing;

    if (!HOLDS(&engine->fault, placing->at >= 0) ||
        !HOLDS(&engine->fault, placing->failed_count >= 0 && placing->failed_count <= placing->at))
        placing->at = placing->failed_count = engine->changes.plan.moves_count = 0;
    if (!moves_place(engine, until_ns, &placing->at, &placing->failed_count))
        return false;
    placing->is_under_way = false;
    failures_report(engine, placing->failed_count);
    for (int i = 0; i < engine->machine.domains_count; i++)
        turn_announce(engine, i, placing->next_ns);
    return true;
}

/* Reports threads that the turn could not move, before the policy moves them again or forgets them.
 * The lock is held for writing. */
static void settle_failures(struct engine *engine, struct turn *turn)
{
    const int count = turn->failed_count && plan_clip(engine, turn) ? turn->plan.moves_count : 0;

    for (int i = 0; i < count; i++)
        if (turn->results[i] && turn->results[i] != -ESRCH)
            report_failure(engine, turn->plan.moves[i].thread);
    turn->failed_count = 0;
}

/* ---- what changes ---- */

/* The lock is held for writing. */
static void change_event(struct engine *engine, const struct event *event)
{
    if (engine->placing.is_under_way)
        (void)placing_go_on(engine, INT64_MAX);
    for (int i = 0; i < engine->machine.domains_count; i++)
        settle_failures(engine, &engine->turns[i]);
    step(engine, event, &engine->changes);
    changes_apply(engine);
}

void engine_thread_arrived(struct engine *engine, int thread, int domain)
{
    struct sample sample = {.processor = -1};

    pthread_rwlock_wrlock(&engine->change_lock);
    if (!thread_index_holds(engine, thread, THREAD_RESERVED) ||
        (domain >= 0 && !domain_holds(engine, domain))) {
        pthread_rwlock_unlock(&engine->change_lock);
        return;
    }
    engine->threads[thread].state = THREAD_LIVE;
    struct event event = event_now(engine, EVENT_THREAD_ARRIVED, thread);
    event.domain = domain;
    if (!engine->ports.sample(engine->ports.world, thread, &sample)) {
        sample.thread = thread;
        event.samples = &sample;
        event.samples_count = 1;
    }
    change_event(engine, &event);
    pthread_rwlock_unlock(&engine->change_lock);
}

void engine_thread_exited(struct engine *engine, int thread)
{
    pthread_rwlock_wrlock(&engine->change_lock);
    if (thread_index_holds(engine, thread, THREAD_LIVE)) {
        thread_index_release(engine, thread);
        const struct event event = event_now(engine, EVENT_THREAD_EXITED, thread);
        change_event(engine, &event);
    }
    pthread_rwlock_unlock(&engine->change_lock);
}

bool engine_start_until(struct engine *engine, int64_t until_ns)
{
    pthread_rwlock_wrlock(&engine->change_lock);
    if (!engine->placing.has_begun)
        placing_begin(engine);
    const bool placed = !engine->placing.is_under_way || placing_go_on(engine, until_ns);
    pthread_rwlock_unlock(&engine->change_lock);
    return placed;
}

void engine_start(struct engine *engine)
{
    (void)engine_start_until(engine, INT64_MAX);
}

void engine_start_abandon(struct engine *engine)
{
    pthread_rwlock_wrlock(&engine->change_lock);
    engine->placing.is_under_way = false;
    pthread_rwlock_unlock(&engine->change_lock);
}

static void change(struct engine *engine, enum event_type type, int subject)
{
    pthread_rwlock_wrlock(&engine->change_lock);
    const struct event event = event_now(engine, type, subject);
    change_event(engine, &event);
    pthread_rwlock_unlock(&engine->change_lock);
}

void engine_processor_lost(struct engine *engine, int processor)
{
    if (processor_holds(engine, processor))
        change(engine, EVENT_PROCESSOR_LOST, processor);
}

void engine_processor_found(struct engine *engine, int processor)
{
    if (processor_holds(engine, processor))
        change(engine, EVENT_PROCESSOR_FOUND, processor);
}

void engine_spinning(struct engine *engine, enum spinning spinning)
{
    change(engine, EVENT_SPINNING, spinning);
}

void engine_short_phases(struct engine *engine, bool told)
{
    if (told == engine->told_short)
        return;
    engine->told_short = told;
    change(engine, EVENT_SHORT_PHASES, told);
}

/* ---- the turn ---- */

static void sample_thread(struct engine *engine, int thread)
{
    struct engine_thread *entry = &engine->threads[thread];

    if (entry->state != THREAD_LIVE)
        return;
    entry->sample = (struct sample){.processor = -1};
    entry->fresh = !engine->ports.sample(engine->ports.world, thread, &entry->sample);
    entry->sample.thread = thread;
}

void engine_sample(struct engine *engine, int processor)
{
    int thread = -1;

    pthread_rwlock_rdlock(&engine->change_lock);
    if (processor_holds(engine, processor))
        while ((thread = thread_after(engine, processor, thread)) >= 0)
            sample_thread(engine, thread);
    pthread_rwlock_unlock(&engine->change_lock);
}

static void take_sample(struct engine *engine, int thread, struct sample *samples, int *count)
{
    if (!engine->threads[thread].fresh || !HOLDS(&engine->fault, *count < engine->threads_max) ||
        !HOLDS(&engine->fault, engine->threads[thread].sample.thread == thread))
        return;
    engine->threads[thread].fresh = false;
    samples[(*count)++] = engine->threads[thread].sample;
}

/* Collects the samples of a domain. Sampling has just checked the lists that it walks; if a check
 * has failed, it walks none. */
static int gather_samples(struct engine *engine, int domain)
{
    struct turn *turn = &engine->turns[domain];
    int count = 0;

    if (fault_text(&engine->fault))
        return 0;
    for (int processor = turn->first; processor < turn->first + turn->count; processor++) {
        int thread = -1;
        while ((thread = policy_thread_after(engine->policy, processor, thread)) >= 0)
            take_sample(engine, thread, turn->samples, &count);
    }
    return count;
}

void engine_decide(struct engine *engine, int domain)
{
    struct turn *turn = &engine->turns[domain];

    if (!domain_holds(engine, domain))
        return;
    if (turn->failed_count) { /* only then are other threads kept out */
        pthread_rwlock_wrlock(&engine->change_lock);
        settle_failures(engine, turn);
        pthread_rwlock_unlock(&engine->change_lock);
    }
    pthread_rwlock_rdlock(&engine->change_lock);
    struct event event = event_now(engine, EVENT_PERIOD, -1);
    event.domain = domain;
    event.samples = turn->samples;
    event.samples_count = gather_samples(engine, domain);
    step(engine, &event, turn);
    memset(turn->results, 0, (size_t)turn->plan.moves_count * sizeof(*turn->results));
    turn_announce(engine, domain, turn->plan.next_ns);
    atomic_fetch_add_explicit(&engine->rounds_count, 1, memory_order_relaxed);
    pthread_rwlock_unlock(&engine->change_lock);
}

void engine_apply(struct engine *engine, int domain)
{
    struct turn *turn = &engine->turns[domain];

    if (!domain_holds(engine, domain))
        return;
    pthread_rwlock_rdlock(&engine->change_lock);
    const int count = plan_clip(engine, turn) ? turn->plan.moves_count : 0;
    for (int i = 0; i < count; i++) {
        turn->results[i] = place(engine, &turn->plan.moves[i]);
        turn->failed_count += turn->results[i] && turn->results[i] != -ESRCH;
    }
    pthread_rwlock_unlock(&engine->change_lock);
}

void engine_turn(struct engine *engine, int domain)
{
    const struct turn *turn = &engine->turns[domain];

    if (!domain_holds(engine, domain))
        return;
    for (int processor = turn->first; processor < turn->first + turn->count; processor++)
        engine_sample(engine, processor);
    engine_decide(engine, domain);
    engine_apply(engine, domain);
}
