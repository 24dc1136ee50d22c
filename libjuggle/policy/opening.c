/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A barrier opened somewhere between two samples. Who slept or yielded there has been runnable
 * since, and tells how long by what it ran and waited.
 */
#include "libjuggle/policy/opening.h"

#include "libjuggle/policy/slots.h"

/* What samples tell of the instant at which a barrier opened. */
struct opening {
    int ran_count;       /* threads that did something in the period */
    int asleep_count;    /* threads that are at a barrier now */
    int passed_count;    /* those who waited and run again */
    int told_count;      /* of them, those who were seen or told that they did */
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

/* It waited by its own word, or was seen to. */
static bool has_told(const struct thread *thread)
{
    return thread->juggle.waited || thread->told_ns >= IDLE_MIN_NS;
}

/* Or it did not run for a while, though it is awake now. */
static bool has_waited(const struct thread *thread)
{
    return has_told(thread) || thread->slept_ns >= IDLE_MIN_NS;
}

static void opening_note(struct opening *opening, const struct thread *thread, bool shares)
{
    const int64_t awake_ns = thread->elapsed_ns - thread->told_ns;
    const int64_t seen_ns = min_i64(thread->run_ns + thread->counted_ns, awake_ns);
    const bool runs = thread->run_ns + thread->counted_ns + thread->slept_ns >= thread->elapsed_ns;

    opening->ran_count += thread->run_ns > 0;
    opening->asleep_count += waits_visibly(thread);
    opening->sharers_count += shares && thread->run_ns > 0;
    if (waits_for_others(thread) || !has_waited(thread))
        return;
    opening->passed_count++;
    opening->told_count += has_told(thread);
    opening->yielders_count += was_yielding(thread);
    opening->earliest_ns = max_i64(opening->earliest_ns,
                                   thread->last.now_ns - (runs ? seen_ns : awake_ns));
    if (thread->juggle.slept && runs)
        opening->latest_ns = min_i64(opening->latest_ns, thread->last.now_ns - seen_ns);
}

/*
 * A thread that yields gets the processor once for each slice that it has waited for; threads that
 * yield to each other run evenly until the barrier opens.
 */
static void opening_note_yielders(const struct policy *policy, struct opening *opening,
                                  int processor)
{
    const int count = policy->processors[processor].threads_count;
    int64_t least_ns = INT64_MAX, began_ns = 0, yielding_ns = INT64_MAX;
    bool all = count > 1;

    FOR_EACH_THREAD_ON(policy, processor, thread) {
        const int64_t slices_ns = max_i64(thread->slices_count, 0) * count * YIELD_TURN_NS;
        all &= was_yielding(thread) && has_yielded(thread);
        if (was_yielding(thread))
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

    FOR_EACH_THREAD_OF(policy, domain, thread)
        opening_note(&opening, thread, !is_alone(policy, thread));
    if (!opening_seen(&opening))
        return opening;
    FOR_EACH_PROCESSOR_OF(domain, processor)
        opening_note_yielders(policy, &opening, processor);
    return opening;
}

/* ---- the instant ---- */

/*
 * All had done the same work w when the barrier opened, a time x ago, and since then no processor
 * was idle: its n threads have done n w + p x by now, p being its power. Where n / p differs from
 * processor to processor that tells both; these are the sums of the normal equations.
 */
struct normal_equations {
    double nn, np, pp, n_work, p_work;
};

static void equations_add(struct normal_equations *sums, double n, double p, double work)
{
    sums->nn += n * n;
    sums->np += n * p;
    sums->pp += p * p;
    sums->n_work += n * work;
    sums->p_work += p * work;
}

static struct normal_equations equations_sum(struct policy *policy, const struct domain *domain)
{
    struct normal_equations sums = {0};

    FOR_EACH_PROCESSOR_OF(domain, processor)
        policy->processors[processor].juggle.done_ns = 0;
    FOR_EACH_THREAD_OF(policy, domain, thread)
        policy->processors[slots_place(policy, domain, thread)].juggle.done_ns +=
            thread->juggle.standing_ns + slots_worked_ns(policy, thread) - domain->juggle.start_ns;
    FOR_EACH_PROCESSOR_OF(domain, processor) {
        const struct processor_state *place = &policy->processors[processor];
        if (place->awake_count)
            equations_add(&sums, place->awake_count,
                          (double)slots_power(policy, processor, true) / (double)RATE_ONE,
                          (double)place->juggle.done_ns);
    }
    return sums;
}

/* False: all processors are alike, or what comes out cannot be. */
static bool opening_solve(struct policy *policy, const struct domain *domain,
                          const struct opening *opening, int64_t now_ns, int64_t *opened_ns)
{
    const struct normal_equations sums = equations_sum(policy, domain);
    const double apart = sums.nn * sums.pp - sums.np * sums.np;

    if (apart <= 0 || apart < APART_MIN * sums.pp)
        return false;
    const double since_ns = (sums.nn * sums.p_work - sums.np * sums.n_work) / apart;
    if (since_ns < 0 || since_ns > (double)(now_ns - opening->earliest_ns))
        return false;
    *opened_ns = now_ns - (int64_t)since_ns;
    return true;
}

/* Where somebody waits there now, that others did not run for a while may have had other reasons,
 * or it was the barrier before. */
static bool opening_doubted(const struct opening *opening)
{
    return opening->asleep_count && !opening->told_count;
}

bool opening_find(struct policy *policy, const struct domain *domain, int64_t now_ns,
                  struct opened_barrier *barrier)
{
    if (domain->told.heard) {
        *barrier = (struct opened_barrier){
            .opened_ns = domain->told.opened_ns, .exact = true, .told = true};
        return domain->told.anew && barrier->opened_ns > domain->juggle.seen_ns;
    }
    const struct opening opening = find_opening(policy, domain);
    int64_t opened_ns = opening.latest_ns;

    if (!opening_seen(&opening) || opening_doubted(&opening))
        return false;
    const bool exact = opened_ns != INT64_MAX;
    const bool solved = !exact && !opening.yielders_count && !opening.asleep_count &&
                        opening_solve(policy, domain, &opening, now_ns, &opened_ns);
    if (!exact && !solved)
        opened_ns = opening.earliest_ns;
    *barrier = (struct opened_barrier){
        .opened_ns = max_i64(opening.earliest_ns, opened_ns),
        .exact = exact,
        .solved = solved,
        .told = opening.told_count > 0,
        .slept = !opening.yielders_count,
    };
    return barrier->opened_ns > domain->juggle.seen_ns;
}
