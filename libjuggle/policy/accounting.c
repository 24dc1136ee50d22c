/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns samples into what happened in a period: progress, waits, sleep, and how fast each processor
 * was. */
#include "libjuggle/policy/slots.h"
#include "libjuggle/policy/telling.h"

/* Bounds of what one period may add (nine hours) and of a thread's progress (four years). The
 * balancer may have been stopped meanwhile, and threads may report false figures; sums and products
 * must not overflow. */
#define PERIOD_SPAN_MAX (INT64_C(1) << 45)
#define PROGRESS_MAX_NS (INT64_C(1) << 57)

/* Returns the told instant, or 0 if it cannot be true: it lies in the future. */
static int64_t believed_ns(int64_t told_ns, int64_t now_ns)
{
    return told_ns > 0 && told_ns <= now_ns ? told_ns : 0;
}

static void take_over(struct thread *thread, const struct sample *sample)
{
    struct sample *last = &thread->last;

    *last = *sample;
    last->told_since_ns = believed_ns(sample->told_since_ns, sample->now_ns);
    last->told_from_ns = believed_ns(sample->told_from_ns, sample->now_ns);
    last->told_until_ns = believed_ns(sample->told_until_ns, sample->now_ns);
}

static void account_first(struct thread *thread, const struct sample *sample)
{
    take_over(thread, sample);
    thread->first = thread->last;
    thread->sampled = true;
}

void account_arrival(struct thread *thread, const struct event *event)
{
    if (event->samples_count > 0)
        account_first(thread, &event->samples[0]);
}

/* A thread that sleeps now waits for the others, however long it ran before. */
static enum thread_state state_of(const struct thread *thread)
{
    const struct sample *sample = &thread->last;
    const bool seen = thread->run_ns + thread->wait_ns >= thread->elapsed_ns / 2;

    if (sample->state == SAMPLE_WAITING && !thread->released)
        return THREAD_YIELDING;
    if (sample->state == SAMPLE_SLEEPING || (sample->state == SAMPLE_UNKNOWN && !seen))
        return THREAD_BLOCKED;
    if (slices_are_short(thread) && thread->wait_ns > thread->run_ns)
        return THREAD_YIELDING;
    return THREAD_RUNNING;
}

/* The kernel adds a queue wait to its total when the wait ends: then it may be longer than the
 * period. */
static void account_wait(struct thread *thread, const struct sample *sample)
{
    const int64_t rest_ns = thread->elapsed_ns - thread->run_ns;

    thread->counted_ns = sample->wait_ns < 0
                             ? rest_ns
                             : clamp_i64(sample->wait_ns - thread->last.wait_ns, 0, rest_ns);
    thread->wait_ns = thread->counted_ns;
    thread->slept_ns = 0;
    thread->woke = thread->last.state == SAMPLE_SLEEPING;
}

static void account_sample(struct thread *thread, const struct sample *sample)
{
    thread->elapsed_ns = clamp_i64(sample->now_ns - thread->last.now_ns, 0, PERIOD_SPAN_MAX);
    thread->run_ns = clamp_i64(sample->run_ns - thread->last.run_ns, 0, thread->elapsed_ns);
    account_wait(thread, sample);
    thread->told_ns = clamp_i64(sample->told_wait_ns - thread->last.told_wait_ns, 0,
                                thread->elapsed_ns);
    thread->slices_count = sample->slices_count < 0
                               ? -1
                               : clamp_i64(sample->slices_count - thread->last.slices_count,
                                           -PERIOD_SPAN_MAX, PERIOD_SPAN_MAX);
    thread->reports = sample->work_ns > 0 && thread->last.work_ns > 0;
    thread->work_ns = thread->reports
                          ? clamp_i64(sample->work_ns - thread->last.work_ns, 0, PERIOD_SPAN_MAX)
                          : 0;
    thread->progress_ns += thread->reports ? thread->work_ns
                                           : clamp_i64(sample->run_ns - thread->last.run_ns, 0,
                                                       PERIOD_SPAN_MAX);
    thread->progress_ns = min_i64(thread->progress_ns, PROGRESS_MAX_NS);
    thread->stuck -= thread->stuck > 0;
    thread->awaits_first_run &= thread->run_ns == 0;
    take_over(thread, sample);
}

/* ---- waits that go on ---- */

static int64_t unseen_ns(const struct thread *thread)
{
    return thread->elapsed_ns - thread->run_ns - thread->counted_ns;
}

/*
 * A thread's gap is the time in the period that was counted neither as running nor as waiting.
 * Notes the least gap of the threads that are awake on each processor. One of these threads runs,
 * and its queue waits have ended and are counted: its gap is sleep. The gap of another one may be a
 * queue wait that has not ended. So only the least gap is known to be sleep. Threads count where
 * they are now, which is not home while masks are open.
 */
static void find_gaps(struct policy *policy, const struct domain *domain)
{
    FOR_EACH_PROCESSOR_OF(domain, processor) {
        policy->processors[processor].gap_ns = INT64_MAX;
        policy->processors[processor].awake_count = 0;
    }
    FOR_EACH_THREAD_OF(policy, domain, thread) {
        struct processor_state *place = &policy->processors[slots_place(policy, domain, thread)];
        if (thread->sampled_turn != domain->turns || thread->last.state == SAMPLE_SLEEPING)
            continue;
        place->gap_ns = min_i64(place->gap_ns, unseen_ns(thread));
        place->awake_count++;
    }
}

/*
 * True if the gap is sleep. A thread that slept was given the processor when it woke, and once more
 * when the turn ended. If that does not show, the short gap of a thread that is alone on its
 * processor may be time in which the host did not run the virtual processor.
 */
static bool gap_is_sleep(const struct thread *thread, const struct processor_state *place)
{
    return thread->slices_count != 0 && (place->awake_count > 1 || thread->slices_count > 1 ||
                                         GAP_PARTS * place->gap_ns >= thread->elapsed_ns);
}

/* Notes what of the thread's gap is sleep; the rest is a queue wait that has not ended. If it slept
 * when the period began, the rest may be sleep, too. */
static void account_gap(struct thread *thread, const struct processor_state *place)
{
    if (gap_is_sleep(thread, place))
        thread->slept_ns = min_i64(unseen_ns(thread), place->gap_ns);
    if (thread->last.state == SAMPLE_RUNNABLE && !thread->woke)
        thread->wait_ns = thread->counted_ns + unseen_ns(thread) - thread->slept_ns;
}

/* The thread has no sample: it was not seen to run, so it must not take a fast slot. */
static void account_missing(struct thread *thread)
{
    thread->elapsed_ns = thread->run_ns = thread->wait_ns = thread->slices_count = 0;
    thread->told_ns = thread->counted_ns = thread->slept_ns = thread->work_ns = 0;
    thread->reports = false;
    thread->state = THREAD_BLOCKED;
}

static void account_states(struct policy *policy, const struct domain *domain)
{
    find_gaps(policy, domain);
    FOR_EACH_THREAD_OF(policy, domain, thread) {
        if (thread->sampled_turn != domain->turns) {
            account_missing(thread);
            continue;
        }
        if (thread->last.state != SAMPLE_SLEEPING)
            account_gap(thread, &policy->processors[slots_place(policy, domain, thread)]);
        thread->state = state_of(thread);
    }
}

/* ---- periods ---- */

void account_period(struct policy *policy, struct domain *domain, const struct event *event)
{
    domain->turns++;
    for (int i = 0; i < event->samples_count; i++) {
        const struct sample *sample = &event->samples[i];
        if (sample->thread < 0 || sample->thread >= policy->threads_limit)
            continue;
        struct thread *thread = &policy->threads[sample->thread];
        if (!thread->present)
            continue;
        if (!thread->sampled)
            account_first(thread, sample);
        account_sample(thread, sample);
        thread->sampled_turn = domain->turns;
    }
    telling_account(policy, domain);
    account_states(policy, domain);
}

/*
 * Section 2.1: the mean progress of a processor's threads, stretched by t_real / (t_real - t_idle).
 * The idle time is not observed directly: a processor is busy at least while its longest runnable
 * thread ran or waited, and at least for the sum of what its threads ran. Threads that block all
 * the time tell nothing about the processor and are left out.
 */
static void account_processor(struct policy *policy, struct processor_state *state, int processor)
{
    int64_t ran_ns = 0, done_ns = 0, runnable_ns = 0, elapsed_ns = 0;
    double progress_ns = 0; /* a double, because thousands of threads may run for years */
    int runnable_count = 0;

    FOR_EACH_THREAD_ON(policy, processor, thread) {
        progress_ns += (double)thread->progress_ns;
        elapsed_ns = max_i64(elapsed_ns, thread->elapsed_ns);
        if (thread->state == THREAD_BLOCKED && !thread->run_ns)
            continue;
        ran_ns += thread->run_ns;
        done_ns += thread->reports ? thread->work_ns : thread->run_ns;
        runnable_ns = max_i64(runnable_ns, thread->run_ns + thread->wait_ns);
        runnable_count++;
    }
    const int64_t busy_ns = clamp_i64(ran_ns, runnable_ns, elapsed_ns);

    state->progress_ns = state->threads_count ? (int64_t)(progress_ns / state->threads_count) : 0;
    state->speed = busy_ns > 0 ? share_of(done_ns, busy_ns) / runnable_count : RATE_ONE;
}

void account_processors(struct policy *policy, struct domain *domain)
{
    FOR_EACH_PROCESSOR_OF(domain, processor)
        account_processor(policy, &policy->processors[processor], processor);
}
