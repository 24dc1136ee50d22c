/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's standing is the work that it has done. At a barrier all standings are equal, whatever
 * threads burnt or slept there. Since the barrier opened, a thread that was alone on its processor
 * has worked all the time; the others have worked for their run time, less what they yielded away.
 *
 * Busy-waiting threads never show where a phase ends: then standings are run times.
 */
#include "libjuggle/policy/phase.h"

#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/slots.h"
#include "libjuggle/policy/telling.h"

/* ---- how long phases are ---- */

static bool is_near(int64_t seen_ns, int64_t known_ns)
{
    const int64_t distance_ns = seen_ns - known_ns;

    return (distance_ns < 0 ? -distance_ns : distance_ns) <= known_ns / REGULAR_PARTS;
}

static int64_t mean_with(int64_t known, int64_t seen)
{
    return known + (seen - known) / PHASES_MEMORY;
}

/*
 * Learns from a barrier that opened, at which all standings were `end_ns`. Phases are regular if
 * the work between barriers that are seen is the work that is known, or a few times as much: the
 * better the balance, the more barriers pass at which no thread has to wait. The time that this
 * work takes depends on the balance.
 *
 * A phase that does not fit is believed when it comes twice, or when regular phases have not come
 * for as many times as they came before: a false barrier must not undo what is known.
 */
static void learn_length(struct juggle_domain *phase, int64_t opened_ns, int64_t end_ns)
{
    const int64_t interval_ns = opened_ns - phase->seen_ns;
    const int64_t work_ns = end_ns - phase->seen_start_ns;
    const int64_t count = phase->work_ns ? (work_ns + phase->work_ns / 2) / phase->work_ns : 0;

    if (work_ns <= 0)
        return; /* other threads stood there then, or counters lag */
    if (count >= 1 && count <= PHASES_MEMORY &&
        is_near(work_ns - (count - 1) * phase->work_ns, phase->work_ns)) {
        phase->length_ns = mean_with(phase->length_ns, interval_ns / count);
        phase->work_ns = mean_with(phase->work_ns, work_ns / count);
        phase->regular_count = (int)min_i64(phase->regular_count + 1, PHASES_MEMORY);
        phase->unlike_work_ns = 0;
    } else if (phase->seen_ns) {
        const bool again = is_near(work_ns, phase->unlike_work_ns);
        phase->unlike_work_ns = work_ns;
        if (!again && --phase->regular_count >= 0)
            return;
        phase->length_ns = interval_ns;
        phase->work_ns = work_ns;
        phase->regular_count = again;
    }
}

bool phase_is_long(const struct policy *policy, const struct domain *domain)
{
    const struct juggle_domain *phase = &domain->juggle;

    return policy->spinning == SPINNING_NONE &&
           phase->furthest_ns - phase->start_ns > PHASES_MEMORY * phase->length_ns;
}

/* ---- standings ---- */

/* Returns the run time that was not burnt at a barrier: none if the thread was yielding, else what
 * its told waits leave. */
static int64_t used_ns(const struct thread *thread)
{
    return was_yielding(thread) ? 0 : telling_used_ns(thread);
}

static void advance(struct policy *policy, struct domain *domain)
{
    int64_t furthest_ns = INT64_MIN;

    FOR_EACH_THREAD_OF(policy, domain, thread) {
        learning_run(policy, domain, thread, used_ns(thread));
        thread->juggle.standing_ns += slots_worked_ns(policy, thread);
        furthest_ns = max_i64(furthest_ns, thread->juggle.standing_ns);
    }
    if (domain->threads_count)
        domain->juggle.furthest_ns = furthest_ns;
    FOR_EACH_THREAD_OF(policy, domain, thread) {
        if (waits_for_others(thread))
            thread->juggle.standing_ns = furthest_ns;
        thread->juggle.waited = waits_for_others(thread) || has_yielded(thread);
        thread->juggle.waited_visibly = waits_visibly(thread);
    }
}

static int64_t after_ns(const struct thread *thread, int64_t opened_ns)
{
    return clamp_i64(thread->last.now_ns - opened_ns, 0, thread->elapsed_ns);
}

/* Returns the most work that the thread can have done since the barrier opened. It may say that it
 * waits at the next one already. */
static int64_t most_since_ns(const struct policy *policy, const struct thread *thread,
                             int64_t opened_ns)
{
    const int64_t waits_ns = thread->last.told_since_ns > opened_ns
                                 ? thread->last.now_ns - thread->last.told_since_ns
                                 : 0;

    return min_i64(
        slots_worked_ns(policy, thread),
        slots_work_ns(policy, thread, max_i64(after_ns(thread, opened_ns) - waits_ns, 0)));
}

/*
 * Returns the standing of all threads at the barrier: that of the last one to come, because it did
 * nothing but work. It is known best of threads that are alone on a processor; without any, the
 * mean of all is taken.
 */
static int64_t end_standing_ns(const struct policy *policy, const struct domain *domain,
                               int64_t opened_ns)
{
    int64_t least_ns = INT64_MAX, sum_ns = 0;

    FOR_EACH_THREAD_OF(policy, domain, thread) {
        const int64_t worked = slots_worked_ns(policy, thread);
        const int64_t end_ns = thread->juggle.standing_ns + worked -
                               most_since_ns(policy, thread, opened_ns);

        sum_ns += end_ns;
        if (is_alone(policy, thread) && !waits_for_others(thread))
            least_ns = min_i64(least_ns, end_ns);
    }
    return least_ns != INT64_MAX ? least_ns : sum_ns / domain->threads_count;
}

/* ---- work since the barrier ---- */

static int64_t worked_since_ns(const struct policy *policy, const struct thread *thread,
                               int64_t opened_ns, int64_t end_ns)
{
    const int64_t before_ns = slots_work_ns(policy, thread,
                                            thread->elapsed_ns - after_ns(thread, opened_ns));
    const int64_t worked = slots_worked_ns(policy, thread);
    const int64_t most_ns = most_since_ns(policy, thread, opened_ns);

    if (is_alone(policy, thread))
        return most_ns;
    if (was_yielding(thread)) {
        const int64_t yielded_ns = before_ns / policy->processors[thread->processor].threads_count;
        return clamp_i64(worked - yielded_ns, 0, most_ns);
    }
    return clamp_i64(thread->juggle.standing_ns + worked - end_ns, max_i64(worked - before_ns, 0),
                     most_ns);
}

/* Returns the run time since the barrier, or 0 if the instant is not exact. */
static int64_t ran_since_ns(const struct policy *policy, const struct thread *thread,
                            const struct opened_barrier *barrier)
{
    return barrier->exact ? slots_time_ns(policy, thread, thread->juggle.since_ns) : 0;
}

/* Adds the run time until the barrier to the accounts, because all threads did the same work until
 * then. If the instant is not exact, the accounts go on until the next barrier. */
static void account_until(struct policy *policy, struct domain *domain,
                          const struct opened_barrier *barrier, int64_t end_ns)
{
    FOR_EACH_THREAD_OF(policy, domain, thread) {
        thread->juggle.since_ns = worked_since_ns(policy, thread, barrier->opened_ns, end_ns);
        learning_run(policy, domain, thread,
                     used_ns(thread) - ran_since_ns(policy, thread, barrier));
    }
}

/* Begins a phase: all standings were equal when the barrier opened. */
static void begin_anew(struct policy *policy, struct domain *domain,
                       const struct opened_barrier *barrier, int64_t end_ns)
{
    domain->juggle.furthest_ns = end_ns;
    FOR_EACH_THREAD_OF(policy, domain, thread) {
        learning_run(policy, domain, thread, ran_since_ns(policy, thread, barrier));
        thread->juggle.standing_ns = end_ns + thread->juggle.since_ns;
        domain->juggle.furthest_ns = max_i64(domain->juggle.furthest_ns,
                                             thread->juggle.standing_ns);
        if (thread->state == THREAD_YIELDING && !waits_visibly(thread))
            thread->state = THREAD_RUNNING; /* it yielded until the barrier opened */
        thread->juggle.waited = waits_for_others(thread);
        thread->juggle.waited_visibly = waits_visibly(thread);
    }
}

/* Notes a barrier that did not show: the better the balance, the more of them there are. When all
 * threads have done the work of a phase, one has passed; standings keep their differences. */
static void reckon(struct policy *policy, struct domain *domain)
{
    struct juggle_domain *phase = &domain->juggle;
    const int64_t end_ns = phase->start_ns + phase->work_ns;
    int64_t least_ns = INT64_MAX;

    FOR_EACH_THREAD_OF(policy, domain, thread) {
        if (waits_visibly(thread))
            return;
        least_ns = min_i64(least_ns, thread->juggle.standing_ns);
    }
    if (!phase->regular_count || least_ns == INT64_MAX || least_ns <= end_ns)
        return;
    phase->start_ns = end_ns;
    FOR_EACH_THREAD_OF(policy, domain, thread)
        thread->state = THREAD_RUNNING;
}

static void pass_none(struct policy *policy, struct domain *domain, int64_t now_ns)
{
    struct juggle_domain *phase = &domain->juggle;

    advance(policy, domain);
    reckon(policy, domain);
    if (phase->length_ns && now_ns - phase->seen_ns > 4 * PHASES_MEMORY * phase->length_ns)
        phase_forget(phase);
}

static void pass(struct policy *policy, struct domain *domain, const struct opened_barrier *barrier)
{
    struct juggle_domain *phase = &domain->juggle;
    const int64_t end_ns = end_standing_ns(policy, domain, barrier->opened_ns);

    /* If the instant is bounded from one side only, it says nothing of a length that is known,
     * except that it is shorter by far. */
    if (barrier->exact || barrier->solved || !phase->regular_count ||
        barrier->opened_ns - phase->seen_ns < phase->length_ns / 2)
        learn_length(phase, barrier->opened_ns, end_ns);
    account_until(policy, domain, barrier, end_ns);
    if (barrier->exact)
        learning_barrier(policy, domain);
    phase->all_slept = barrier->all_slept;
    phase->seen_ns = barrier->opened_ns;
    phase->start_ns = phase->seen_start_ns = end_ns;
    begin_anew(policy, domain, barrier, end_ns);
}

void phase_observe(struct policy *policy, struct domain *domain, int64_t now_ns)
{
    struct opened_barrier barrier;

    if (opening_find(policy, domain, now_ns, &barrier))
        pass(policy, domain, &barrier);
    else
        pass_none(policy, domain, now_ns);
}
