/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that polls at a barrier notices that it has opened when it runs next, which may be a
 * slice later: until then it still says that it waits. But not all threads are late. While the last
 * one arrives, another processor runs a thread that waits, and whose wait ends with the barrier.
 *
 * So of the waits that have ended, take the one that began last: the barrier opened after that, at
 * the first end of a wait that lasted beyond that beginning. A thread that began to wait before the
 * barrier opened and has not run since has passed it, too.
 */
#include "libjuggle/policy/telling.h"

#include "libjuggle/policy/opening.h"

static bool sampled_now(const struct domain *domain, const struct thread *thread)
{
    return thread->sampled_turn == domain->turns;
}

/* ---- the instant ---- */

/* Returns the earliest instant of the barrier by this thread's wait: the barrier opened during the
 * wait. A thread that was late queued for the processor in between. */
static int64_t earliest_ns(const struct thread *thread)
{
    const struct sample *sample = &thread->last;
    const bool ended_now = sample->told_until_ns > sample->now_ns - thread->elapsed_ns;

    return ended_now ? max_i64(sample->told_from_ns, sample->told_until_ns - thread->counted_ns)
                     : sample->told_from_ns;
}

/* True if a wait of the thread has ended that began after the barrier that is known already. */
static bool is_news(const struct domain *domain, const struct thread *thread)
{
    return sampled_now(domain, thread) && thread->last.told_until_ns &&
           thread->last.told_from_ns > domain->told.opened_ns;
}

/* Returns when the barrier opened; INT64_MAX if no thread told of any. */
static int64_t opening_ns(const struct policy *policy, const struct domain *domain)
{
    int64_t last_ns = INT64_MIN, first_ns = INT64_MAX;

    FOR_EACH_THREAD_OF(policy, domain, thread)
        if (is_news(domain, thread))
            last_ns = max_i64(last_ns, earliest_ns(thread));
    FOR_EACH_THREAD_OF(policy, domain, thread)
        if (is_news(domain, thread) && thread->last.told_until_ns >= last_ns)
            first_ns = min_i64(first_ns, thread->last.told_until_ns);
    return first_ns;
}

/* True if a thread that is still there tells of its waits: those of threads that have exited say
 * nothing of the others. */
static bool somebody_tells(const struct policy *policy, const struct domain *domain)
{
    FOR_EACH_THREAD_OF(policy, domain, thread)
        if (thread->last.told_wait_ns)
            return true;
    return false;
}

static void find_barrier(const struct policy *policy, struct domain *domain)
{
    const int64_t opened_ns = opening_ns(policy, domain);

    domain->told.anew = opened_ns < INT64_MAX && opened_ns > domain->told.opened_ns;
    if (domain->told.anew)
        domain->told.opened_ns = opened_ns;
    domain->told.heard = domain->told.opened_ns > 0 && somebody_tells(policy, domain);
}

/* ---- who has not noticed ---- */

/* True if it says that it waits though the barrier has opened. A thread that has run since then has
 * noticed, and waits for something else. */
static bool is_released(const struct domain *domain, const struct thread *thread)
{
    const int64_t opened_ns = domain->told.opened_ns;
    const int64_t began_ns = thread->last.now_ns - thread->elapsed_ns;

    return thread->last.state == SAMPLE_WAITING && thread->last.told_since_ns <= opened_ns &&
           (opened_ns > began_ns || (thread->released && !thread->run_ns));
}

void telling_account(struct policy *policy, struct domain *domain)
{
    domain->told.heard = domain->told.anew = false;
    /* If no threads share a processor, the samples alone show the barrier. */
    if (domain_crowd(policy, domain) > 1)
        find_barrier(policy, domain);
    FOR_EACH_THREAD_OF(policy, domain, thread)
        if (sampled_now(domain, thread))
            thread->released = domain->told.heard && is_released(domain, thread);
}
