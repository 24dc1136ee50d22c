/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A barrier opened somewhere between two samples. Who slept or yielded there has been runnable
 * since, and tells how long by what it ran and waited.
 */
#include "libjuggle/policy/opening.h"

#include "libjuggle/policy/slots.h"

/* A processor that was idle for less was not: counters are read one after the other, and a turn
 * itself takes as much. */
#define IDLE_MIN_NS (50 * NSEC_PER_USEC)

/* How long a thread that yields keeps the processor, measured on kernel 6.18. */
#define YIELD_TURN_NS (2 * NSEC_PER_USEC)

enum {
    PASSED_PARTS = 3, /* at least this part of the threads shows that a barrier opened */
    GAP_PARTS = 8,    /* so much of a period is no time that the host has stolen */
};

/*
 * For how long nobody of ours ran there or wanted to; 0 where that is less than can be told. Who
 * has just lost the processor waits for it already, in no total yet: the others show that it was
 * never idle.
 */
static int64_t idle_ns(const struct policy *policy, int processor)
{
    int64_t ran_ns = 0, elapsed_ns = 0, unseen_ns = INT64_MAX;

    FOR_EACH_THREAD_ON(policy, processor, slot) {
        const struct thread *thread = &policy->threads[slot];
        ran_ns += thread->run_ns;
        elapsed_ns = max_i64(elapsed_ns, thread->elapsed_ns);
        unseen_ns = min_i64(unseen_ns, thread->elapsed_ns - thread->run_ns - thread->wait_ns);
    }
    const int64_t idle_ns = min_i64(elapsed_ns - ran_ns, unseen_ns);
    return idle_ns < IDLE_MIN_NS ? 0 : idle_ns;
}

/* What samples tell of the instant at which a barrier opened. */
struct opening {
    int ran_count;       /* threads that did something in the period */
    int passed_count;    /* of them, those who waited and run again */
    int sharers_count;   /* those who share a processor: only they show that they yield */
    int yielders_count;  /* of those who passed, those who yielded */
    int64_t earliest_ns; /* who passed it has been runnable ever since */
    int64_t latest_ns;   /* who was there at the last sample has run since; INT64_MAX: nobody was */
};

/* A barrier is where many wait: not where one of many threads sleeps for reasons of its own. */
static bool opening_seen(const struct opening *opening)
{
    return (opening->passed_count > 0 &&
            PASSED_PARTS * opening->passed_count >= opening->ran_count) ||
           (opening->yielders_count > 0 &&
            PASSED_PARTS * opening->yielders_count >= opening->sharers_count);
}

/*
 * Who slept was given the processor when it woke, beside the time when the turn gave it back. Where
 * that does not show, a short gap of who is alone may be a virtual processor that did not run.
 */
static bool gap_is_sleep(const struct thread *thread, bool shares, int64_t gap_ns)
{
    return gap_ns >= IDLE_MIN_NS &&
           (shares || thread->slices_count != 1 || GAP_PARTS * gap_ns >= thread->elapsed_ns);
}

/* It waited by its own word, or cannot have been runnable for a while, though it is now. */
static bool has_waited(const struct thread *thread, bool shares, int64_t idle_ns)
{
    const int64_t unseen_ns = thread->elapsed_ns - thread->run_ns - thread->wait_ns;

    return thread->juggle.waited || thread->told_ns >= IDLE_MIN_NS ||
           gap_is_sleep(thread, shares, min_i64(unseen_ns, idle_ns));
}

static void opening_note(struct opening *opening, const struct thread *thread, bool shares,
                         int64_t idle_ns)
{
    const int64_t awake_ns = thread->elapsed_ns - thread->told_ns;
    const int64_t since_ns = min_i64(thread->run_ns + thread->wait_ns, awake_ns);

    opening->ran_count += thread->run_ns > 0;
    opening->sharers_count += shares && thread->run_ns > 0;
    if (waits_for_others(thread) || !has_waited(thread, shares, idle_ns))
        return;
    opening->passed_count++;
    opening->yielders_count += thread->juggle.waited && !thread->juggle.slept;
    opening->earliest_ns = max_i64(opening->earliest_ns, thread->last.now_ns - since_ns);
    if (thread->juggle.slept)
        opening->latest_ns = min_i64(opening->latest_ns,
                                     thread->last.now_ns -
                                         min_i64(thread->run_ns + thread->counted_ns, awake_ns));
}

/*
 * Who yields is handed the processor as often as it has waited such turns; and those who yield
 * among themselves run evenly until the barrier opens.
 */
static void opening_note_yielders(const struct policy *policy, struct opening *opening,
                                  int processor)
{
    const int count = policy->processors[processor].threads_count;
    int64_t least_ns = INT64_MAX, began_ns = 0, yielding_ns = INT64_MAX;
    bool all = count > 1;

    FOR_EACH_THREAD_ON(policy, processor, slot) {
        const struct thread *thread = &policy->threads[slot];
        const bool was_yielding = thread->juggle.waited && !thread->juggle.slept;
        const int64_t slices_ns = max_i64(thread->slices_count, 0) * count * YIELD_TURN_NS;
        all &= was_yielding && has_yielded(thread);
        if (was_yielding)
            yielding_ns = min_i64(yielding_ns, has_yielded(thread) ? slices_ns : 0);
        least_ns = min_i64(least_ns, thread->run_ns);
        began_ns = thread->last.now_ns - thread->elapsed_ns;
    }
    if (yielding_ns != INT64_MAX)
        opening->latest_ns = min_i64(opening->latest_ns, began_ns + yielding_ns);
    if (all)
        opening->latest_ns = min_i64(opening->latest_ns, began_ns + least_ns * count);
}

static struct opening find_opening(const struct policy *policy, const struct domain *domain)
{
    struct opening opening = {.latest_ns = INT64_MAX};

    FOR_EACH_PROCESSOR_OF(domain, processor) {
        const int64_t gap_ns = idle_ns(policy, processor);
        FOR_EACH_THREAD_ON(policy, processor, slot)
            opening_note(&opening, &policy->threads[slot],
                         policy->processors[processor].threads_count > 1, gap_ns);
    }
    if (!opening_seen(&opening))
        return opening;
    FOR_EACH_PROCESSOR_OF(domain, processor)
        opening_note_yielders(policy, &opening, processor);
    return opening;
}

/* By what those who are alone have done beyond the work of a phase, where nothing says it better.
 */
static int64_t guess_opening(const struct policy *policy, const struct domain *domain,
                             const struct opening *opening, int64_t now_ns)
{
    const int64_t end_ns = domain->juggle.start_ns + domain->juggle.work_ns;
    int64_t sum_ns = 0;
    int count = 0;

    FOR_EACH_PROCESSOR_OF(domain, processor)
        FOR_EACH_THREAD_ON(policy, processor, slot) {
            const struct thread *thread = &policy->threads[slot];
            if (!is_alone(policy, thread))
                continue;
            sum_ns += thread->run_ns +
                      slots_time_ns(policy, thread, thread->juggle.standing_ns - end_ns);
            count++;
        }
    if (!count || !domain->juggle.regular_count)
        return opening->earliest_ns;
    return clamp_i64(now_ns - sum_ns / count, opening->earliest_ns, now_ns);
}

bool opening_find(const struct policy *policy, const struct domain *domain, int64_t now_ns,
                  struct barrier *barrier)
{
    const struct opening opening = find_opening(policy, domain);
    const bool exact = opening.latest_ns != INT64_MAX;

    if (!opening_seen(&opening))
        return false;
    *barrier = (struct barrier){
        .opened_ns = exact ? max_i64(opening.earliest_ns, opening.latest_ns)
                           : guess_opening(policy, domain, &opening, now_ns),
        .exact = exact,
        .slept = !opening.yielders_count,
    };
    return true;
}
