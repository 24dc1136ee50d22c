/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/policy/turns.h"

#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/phase.h"
#include "libjuggle/policy/prospect.h"
#include "libjuggle/policy/slots.h"

#include <math.h>

/* ---- exchanges ---- */

/* Threads on slow slots, the highest levels first; and on fast ones, the lowest levels first. */
struct sides {
    struct sort_item *slow, *fast;
    int slow_count, fast_count;
};

static void sides_fill(struct policy *policy, struct domain *domain,
                       const struct prospect *prospect, struct sides *sides)
{
    *sides = (struct sides){.slow = domain->order, .fast = domain->others};
    FOR_EACH_PROCESSOR_OF(domain, processor) {
        const bool fast = prospect_is_fast(prospect, prospect_slot_rate(policy, processor));
        if (!policy->processors[processor].online)
            continue;
        FOR_EACH_THREAD_ON(policy, processor, thread) {
            const int64_t done_ns = thread->juggle.standing_ns;
            const int index = thread_index(policy, thread);
            if (thread->stuck)
                continue;
            if (fast)
                sides->fast[sides->fast_count++] = (struct sort_item){.key = -done_ns,
                                                                      .index = index};
            else if (!waits_for_others(thread))
                sides->slow[sides->slow_count++] = (struct sort_item){.key = done_ns,
                                                                      .index = index};
        }
    }
    sort_items(sides->slow, sides->slow_count);
    sort_items(sides->fast, sides->fast_count);
}

/* Returns the number of threads that want a share of the processor, or burn it while they wait. */
static int takers_count(const struct policy *policy, int processor)
{
    int count = 0;

    FOR_EACH_THREAD_ON(policy, processor, thread)
        count += !waits_for_others(thread) || thread->last.state == SAMPLE_WAITING;
    return count;
}

static void duty_add(struct duty *duty, const struct domain *domain, const struct thread *thread,
                     int sign)
{
    if (waits_for_others(thread)) {
        duty->burning_count += sign * spins_at_barrier(thread);
        return;
    }
    duty->count += sign;
    duty->load_ns += sign * fmax(prospect_level_ns(domain, thread), 0);
}

static int64_t noise_ns(const struct processor_state *processor)
{
    return duty_sharers(&processor->juggle.duty) > 2 ? SLICE_NS : NOISE_NS;
}

/* True if it was moved, has not run since, and would queue at `to`, too: a thread that comes last
 * in one run queue after the other never runs. */
static bool would_starve(const struct policy *policy, const struct thread *thread, int to)
{
    return thread->awaits_first_run && takers_count(policy, to) > 1;
}

/* True if the levels differ by more than noise, neither thread would starve, and the later finish
 * of both processors does not become later by TURN_NS. */
static bool exchange_helps(const struct policy *policy, const struct domain *domain,
                           const struct thread *b, const struct thread *a)
{
    const struct processor_state *fast = &policy->processors[a->processor];
    const struct processor_state *slow = &policy->processors[b->processor];
    struct duty slow_duty = slow->juggle.duty, fast_duty = fast->juggle.duty;

    if (a->juggle.standing_ns - b->juggle.standing_ns <= noise_ns(slow) ||
        would_starve(policy, b, a->processor) || would_starve(policy, a, b->processor))
        return false;
    const double before_ns = fmax(prospect_finish_ns(slow, &slow_duty),
                                  prospect_finish_ns(fast, &fast_duty));
    duty_add(&slow_duty, domain, b, -1);
    duty_add(&slow_duty, domain, a, 1);
    duty_add(&fast_duty, domain, a, -1);
    duty_add(&fast_duty, domain, b, 1);
    return fmax(prospect_finish_ns(slow, &slow_duty), prospect_finish_ns(fast, &fast_duty)) <
           before_ns + TURN_NS;
}

/* Returns the only other thread on its processor; NULL if there are more or none, or that one must
 * not be moved. */
static struct thread *sole_partner(const struct policy *policy, const struct thread *thread)
{
    struct thread *partner = NULL;

    FOR_EACH_THREAD_ON(policy, thread->processor, other) {
        if (other == thread)
            continue;
        if (partner || other->stuck || other->awaits_first_run)
            return NULL;
        partner = other;
    }
    return partner;
}

static void move(struct policy *policy, const struct domain *domain, struct plan *plan,
                 const struct thread *thread, int to)
{
    duty_add(&policy->processors[thread->processor].juggle.duty, domain, thread, -1);
    duty_add(&policy->processors[to].juggle.duty, domain, thread, 1);
    plan_move(policy, plan, thread_index(policy, thread), to, SCOPE_PROCESSOR);
}

/*
 * Exchanges two threads, by one move instead of two if a pair shares the slow processor, the fast
 * one holds one thread, and both processors are equally fast: then the partner of the thread that
 * is behind joins that one.
 */
static void exchange(struct policy *policy, const struct domain *domain,
                     const struct thread *behind, const struct thread *ahead, struct plan *plan)
{
    const int slow = behind->processor, fast = ahead->processor;
    const struct thread *partner = sole_partner(policy, behind);

    if (partner && policy->processors[fast].threads_count == 1 &&
        slots_processor_rate(policy, slow) == slots_processor_rate(policy, fast)) {
        move(policy, domain, plan, partner, fast);
    } else {
        move(policy, domain, plan, behind, fast);
        move(policy, domain, plan, ahead, slow);
    }
}

void turns_exchange(struct policy *policy, struct domain *domain, struct plan *plan)
{
    const struct prospect prospect = prospect_of(policy, domain, false);
    struct sides sides;
    int next = 0;

    if (!prospect.threads_count)
        return;
    sides_fill(policy, domain, &prospect, &sides);
    for (int i = 0; i < sides.slow_count; i++) {
        const struct thread *behind = &policy->threads[sides.slow[i].index];
        if (prospect_is_fast(&prospect, prospect_slot_rate(policy, behind->processor)))
            continue; /* its slot has become fast since the lists were made */
        while (next < sides.fast_count &&
               !exchange_helps(policy, domain, behind, &policy->threads[sides.fast[next].index]))
            next++;
        if (next == sides.fast_count)
            return;
        exchange(policy, domain, behind, &policy->threads[sides.fast[next++].index], plan);
    }
}

/* ---- the next turn ---- */

/* Returns the shortest interval between turns: within a slice it is chance which thread waits, if
 * many share a processor. */
static double shortest_interval_ns(const struct prospect *whole)
{
    return whole->crowd > 2 ? (double)SLICE_NS : INTERVAL_MIN_NS;
}

/* True if a turn gains at least what two turns cost. If threads may have burnt their waits, their
 * work is not known that well, and turns go on. */
static bool turns_pay(const struct domain *domain, const struct prospect *left)
{
    const double gain_ns = left->stay_ns - left->left_ns;

    return !domain->juggle.all_slept || gain_ns >= 2 * TURN_NS;
}

/* Returns the interval if phases differ: each gets IRREGULAR_PARTS turns. */
static double irregular_ns(const struct policy *policy, const struct domain *domain)
{
    const struct juggle_domain *phase = &domain->juggle;
    const int64_t length_ns = phase_is_long(policy, domain) ? phase->furthest_ns - phase->start_ns
                                                            : phase->length_ns;

    if (length_ns <= 0)
        return BLIND_NS;
    return fmin(fmax((double)length_ns / IRREGULAR_PARTS, 2 * INTERVAL_MIN_NS), INTERVAL_MAX_NS);
}

/* If no thread's part ends before the barrier, the next turn serves the phase after it; soon, to
 * see when it began. */
int64_t turns_next_ns(struct policy *policy, struct domain *domain)
{
    if (!domain->juggle.regular_count)
        return (int64_t)irregular_ns(policy, domain);
    const struct prospect whole = prospect_of(policy, domain, true);
    const double first_ns = prospect_first_part_ns(policy, domain, &whole);
    const double shortest_ns = shortest_interval_ns(&whole);
    const struct prospect left = prospect_of(policy, domain, false);
    double next_ns = prospect_first_part_ns(policy, domain, &left);

    if (next_ns > left.left_ns || !turns_pay(domain, &left))
        next_ns = left.left_ns + fmin(first_ns, 2 * shortest_ns);
    return (int64_t)fmin(fmax(next_ns, shortest_ns), INTERVAL_MAX_NS);
}
