/* SPDX-License-Identifier: BSD-3-Clause */
/* A barrier opened somewhere between two samples. A thread that slept or yielded there has been
 * runnable since then: what it ran and waited bounds the instant. */
#include "libjuggle/policy/opening.h"

#include "libjuggle/policy/slots.h"

/* What samples tell of the instant at which a barrier opened. */
struct opening {
    int ran_count;     /* threads that ran in the period */
    int asleep_count;  /* threads that wait at a barrier now */
    int passed_count;  /* threads that waited and run again */
    int sharers_count; /* threads that share a processor and ran: only these show that they yield */
    int yielders_count;  /* of the threads that passed, those that yielded */
    int64_t earliest_ns; /* lower bound: a thread that passed has been runnable since */
    int64_t latest_ns;   /* upper bound: a thread that slept has run since; INT64_MAX: none */
};

/* True if enough threads passed: one of many threads may sleep for reasons of its own. */
static bool opening_seen(const struct opening *opening)
{
    return (opening->passed_count > 0 &&
            PASSED_PARTS * opening->passed_count >= opening->ran_count) ||
           (opening->yielders_count > 0 &&
            PASSED_PARTS * opening->yielders_count >= opening->sharers_count);
}

/* True if the thread was seen to wait, said that it waited, or slept for a while in the period. */
static bool has_waited(const struct thread *thread)
{
    return thread->juggle.waited || thread->told_ns >= IDLE_MIN_NS ||
           thread->slept_ns >= IDLE_MIN_NS;
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
    opening->yielders_count += was_yielding(thread);
    opening->earliest_ns = max_i64(opening->earliest_ns,
                                   thread->last.now_ns - (runs ? seen_ns : awake_ns));
    if (thread->juggle.waited_visibly && runs)
        opening->latest_ns = min_i64(opening->latest_ns, thread->last.now_ns - seen_ns);
}

/*
 * Bounds the instant by the threads of a processor that yielded. A thread that yields gets the
 * processor for YIELD_TURN_NS each time, so its slices bound how long it has yielded. Threads that
 * yield to each other run evenly until the barrier opens, so their least run time bounds it.
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
 * When the barrier opened, a time x ago, all threads had done the same work w. Since then no
 * processor was idle: its n threads have done n w + p x by now, p being its power. If n / p differs
 * between processors, w and x follow by least squares; these are the sums of the normal equations.
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

/* Solves the equations for the instant. False if n / p is nearly the same everywhere, or the
 * solution is impossible. */
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

bool opening_find(struct policy *policy, const struct domain *domain, int64_t now_ns,
                  struct opened_barrier *barrier)
{
    if (domain->told.heard) {
        *barrier = (struct opened_barrier){.opened_ns = domain->told.opened_ns, .exact = true};
        return domain->told.anew && barrier->opened_ns > domain->juggle.seen_ns;
    }
    const struct opening opening = find_opening(policy, domain);
    int64_t opened_ns = opening.latest_ns;

    if (!opening_seen(&opening))
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
        .all_slept = !opening.yielders_count,
    };
    return barrier->opened_ns > domain->juggle.seen_ns;
}
