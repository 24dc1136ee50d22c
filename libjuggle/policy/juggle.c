/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default policy. It differs from the paper's in five ways, each of which today's kernels ask
 * for:
 *
 * Standing instead of total progress. A thread that sleeps or spins in sched_yield waits for the
 * others: it stands at least as far as any running thread, whatever its processor time says. So
 * what was burnt or slept at one barrier is forgotten after it.
 *
 * Exchanges only when they help. In a period two threads whose slots differ in rate drift apart by
 * rate * period. Standing half of that apart they would only trade places; yet others wait for the
 * fast slot, too, and chances to pass it on are few: a quarter is enough for an exchange.
 *
 * One move instead of two. Where the slow processor holds one thread more than the fast one, moving
 * the partner of the behind thread to the fast processor gives every thread the rate that a swap
 * would have given, and the counts still differ by one, if both are equally fast.
 *
 * A plan for the phase instead of a period. Where barriers show, turns fall when somebody has had
 * its part of the slow slots (pace.c), counted from the barrier (phase.c).
 *
 * Nobody waits beside an idle processor. When all threads of a processor wait for the others, a
 * thread that shares its processor is moved there at once.
 */
#include "libjuggle/policy/pace.h"
#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/phase.h"
#include "libjuggle/policy/rest.h"
#include "libjuggle/policy/slots.h"

/* Busy-waiting threads never show where a phase ends, so theirs must be taken for short. */
#define BLIND_PERIOD_NS (2500 * NSEC_PER_USEC)

/* An exchange needs a distance of this part of what two threads drift apart in a period. */
enum { DRIFT_PARTS = 4 };

/* ---- exchanges ---- */

/*
 * The threads on slots slower than the mean, furthest behind first; and those on faster ones,
 * furthest ahead first.
 */
struct sides {
    struct sort_item *slow, *fast;
    int slow_count, fast_count;
    int64_t speed_sum, processors_count; /* online: the mean speed as a fraction */
};

static bool is_fast(const struct sides *sides, const struct processor_state *processor)
{
    return processor->speed * sides->processors_count > sides->speed_sum;
}

static void sides_add(struct policy *policy, struct sides *sides, int slot)
{
    const struct thread *thread = &policy->threads[slot];

    if (thread->stuck)
        return;
    if (is_fast(sides, &policy->processors[thread->processor]))
        sides->fast[sides->fast_count++] = (struct sort_item){.key = -thread->juggle.standing_ns,
                                                              .index = slot};
    else if (!waits_for_others(thread))
        sides->slow[sides->slow_count++] = (struct sort_item){.key = thread->juggle.standing_ns,
                                                              .index = slot};
}

static void sides_fill(struct policy *policy, struct domain *domain, struct sides *sides)
{
    *sides = (struct sides){.slow = domain->order, .fast = domain->others};
    FOR_EACH_PROCESSOR_OF(domain, index) {
        if (!policy->processors[index].online || !policy->processors[index].threads_count)
            continue;
        sides->speed_sum += policy->processors[index].speed;
        sides->processors_count++;
    }
    FOR_EACH_PROCESSOR_OF(domain, index) {
        if (!policy->processors[index].online)
            continue;
        FOR_EACH_THREAD_ON(policy, index, slot)
            sides_add(policy, sides, slot);
    }
    sort_items(sides->slow, sides->slow_count);
    sort_items(sides->fast, sides->fast_count);
}

/*
 * Does changing places bring the two nearer to each other at the end of the period? Not if the fast
 * processor holds a thread that is further behind still: a newcomer that has waited goes first, and
 * that one would starve.
 */
static bool exchange_helps(const struct policy *policy, const struct domain *domain, int behind,
                           int ahead)
{
    const struct thread *a = &policy->threads[ahead], *b = &policy->threads[behind];
    const struct processor_state *fast = &policy->processors[a->processor];
    const struct processor_state *slow = &policy->processors[b->processor];
    const int64_t drift_ns = domain->period_ns * (fast->speed - slow->speed) / RATE_ONE;
    const bool close = 2 * (fast->speed - slow->speed) <= slow->speed;
    const int64_t noise_ns = slow->juggle.running_count > 2 - close ? SLICE_NS : 0;
    const int64_t power = fast->speed * max_i64(fast->juggle.running_count, 1);
    const int64_t joined_count = fast->juggle.running_count + (waits_for_others(a) && !burns(a));

    return a->juggle.standing_ns - b->juggle.standing_ns >
               max_i64(drift_ns / DRIFT_PARTS, noise_ns) &&
           fast->juggle.least_standing_ns >= b->juggle.standing_ns &&
           power > slow->speed * joined_count;
}

/* The only other running thread beside `slot`, or NOWHERE if there are more or none. */
static int sole_partner(const struct policy *policy, int slot)
{
    int partner = NOWHERE;

    FOR_EACH_THREAD_ON(policy, policy->threads[slot].processor, other) {
        if (other == slot)
            continue;
        if (partner != NOWHERE || policy->threads[other].stuck)
            return NOWHERE;
        partner = other;
    }
    return partner;
}

static void swap_speeds(struct processor_state *a, struct processor_state *b)
{
    const int64_t speed = a->speed;

    a->speed = b->speed;
    b->speed = speed;
}

static void exchange(struct policy *policy, int behind, int ahead, struct plan *plan)
{
    const int slow = policy->threads[behind].processor;
    const int fast = policy->threads[ahead].processor;
    const int partner = sole_partner(policy, behind);

    if (partner != NOWHERE && policy->processors[fast].threads_count == 1 &&
        slots_processor_rate(policy, slow) == slots_processor_rate(policy, fast)) {
        plan_move(policy, plan, partner, fast, SCOPE_PROCESSOR);
        swap_speeds(&policy->processors[slow], &policy->processors[fast]);
    } else {
        plan_move(policy, plan, behind, fast, SCOPE_PROCESSOR);
        plan_move(policy, plan, ahead, slow, SCOPE_PROCESSOR);
    }
}

/*
 * The partner of a thread that was freed comes later in the same list and is then on a processor
 * that has become slow: it too may change places, and two that are ahead end up together.
 */
static void exchange_all(struct policy *policy, struct domain *domain, struct plan *plan)
{
    struct sides sides;
    int next = 0;

    sides_fill(policy, domain, &sides);
    for (int i = 0; i < sides.slow_count; i++) {
        const int behind = sides.slow[i].index;
        if (is_fast(&sides, &policy->processors[policy->threads[behind].processor]))
            continue; /* freed since the lists were made */
        while (next < sides.fast_count &&
               !exchange_helps(policy, domain, behind, sides.fast[next].index))
            next++;
        if (next == sides.fast_count)
            return;
        exchange(policy, behind, sides.fast[next++].index, plan);
    }
}

/* ---- the period ---- */

static int64_t chosen_period(const struct policy *policy, const struct domain *domain)
{
    switch (domain->reason) {
    case PERIOD_RESTING:
    case PERIOD_SHORT:
        return rest_period(domain);
    case PERIOD_LEARNED:
        return domain->juggle.regular_count ? pace_next(policy, domain)
                                            : pace_period(policy, domain);
    case PERIOD_BLIND:
    case PERIOD_GIVEN:
    case PERIOD_REASONS_COUNT:
        break;
    }
    return BLIND_PERIOD_NS;
}

static bool rests(const struct domain *domain)
{
    return domain->reason == PERIOD_RESTING || domain->reason == PERIOD_SHORT;
}

static void decide(struct policy *policy, struct domain *domain, int64_t now_ns, struct plan *plan)
{
    slots_observe(policy, domain);
    phase_observe(policy, domain, now_ns);
    learning_turn(policy, domain, now_ns);
    repair(policy, domain, plan);
    slots_update(policy, domain);
    if (!policy->options.period_ns)
        domain->reason = rest_reason(policy, domain, now_ns);
    if (rests(domain)) {
        rest_begin(policy, domain, plan);
    } else {
        rest_end(policy, domain, plan);
        slots_fill(policy, domain, plan);
        learning_exchange(policy, domain, now_ns, plan);
        exchange_all(policy, domain, plan);
        domain->choice.phase_ns = domain->juggle.length_ns ? domain->juggle.length_ns
                                                           : domain->choice.phase_ns;
    }
    if (!policy->options.period_ns)
        domain->period_ns = chosen_period(policy, domain);
}

const struct policy_ops policy_juggle_ops = {
    .name = "juggle", .arrived = phase_join, .decide = decide};
