/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default policy. It differs from the paper's in four ways, each of which today's kernels ask
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
 * would have given, and the counts still differ by one.
 *
 * Nobody waits beside an idle processor. When all threads of a processor wait for the others, a
 * thread that shares its processor is moved there at once.
 */
#include "libjuggle/policy/state.h"

#include <math.h>
#include <stdbool.h>

/*
 * What `--period auto` chooses between. A share c / period of the time goes to turns that take c
 * each, and a share a * period / phase to waiting at the barrier for threads that differ by part of
 * a period. The sum is least at the square root of phase * c / a. Busy-waiting threads never show
 * where a phase ends, so theirs must be taken for short.
 */
#define AUTO_TURN_NS         (200 * NSEC_PER_USEC) /* c / a, measured: docs/performance.md */
#define AUTO_PERIOD_MIN_NS   (2 * NSEC_PER_MSEC)
#define AUTO_PERIOD_MAX_NS   (20 * NSEC_PER_MSEC)
#define AUTO_PERIOD_BLIND_NS (2500 * NSEC_PER_USEC)
#define AUTO_PERIOD_REST_NS  (50 * NSEC_PER_MSEC) /* nobody shares, nobody disturbs: only watch */
enum {
    PHASES_FORGOTTEN = 4,    /* without a barrier for so many, their length is unknown again */
    PASSES_IN_A_ROW_MAX = 2, /* one barrier may show in two periods, not in three */
    LONGER_MEMORY = 8,  /* weight of what was learned before, in phases, against a longer one */
    SHORTER_MEMORY = 2, /* and against a shorter one: no barrier was missed in between */
};

/* Above so much of a processor, of RATE_ONE, nobody else uses it. */
#define CAPACITY_UNDISTURBED (RATE_ONE * 95 / 100)

/* A processor's capacity is what other programs leave of it, averaged over about so long: their
 * slices are shorter. */
#define CAPACITY_MEMORY_NS (40 * NSEC_PER_MSEC)

/* An exchange needs a distance of this part of what two threads drift apart in a period. */
enum { DRIFT_PARTS = 4 };

/*
 * The kernel shares a processor in slices of about so long. Where three or more take turns, their
 * standings swing by as much without meaning anything.
 */
#define SLICE_NS (4 * NSEC_PER_MSEC)

static bool waits_for_others(const struct thread *thread)
{
    return thread->state != THREAD_RUNNING;
}

/* ---- standings ---- */

/* Who comes later begins where the last of the others are. */
static void join_standings(struct policy *policy, struct thread *thread)
{
    int64_t least_ns = INT64_MAX;

    for (int slot = 0; slot < policy->options.threads_max; slot++)
        if (policy->threads[slot].present && &policy->threads[slot] != thread)
            least_ns = min_i64(least_ns, policy->threads[slot].juggle.standing_ns);
    thread->juggle.standing_ns = least_ns == INT64_MAX ? 0 : least_ns;
}

static void advance_standings(struct policy *policy, struct domain *domain)
{
    int64_t furthest_ns = INT64_MIN;

    FOR_EACH_PROCESSOR_OF(domain, processor)
        FOR_EACH_THREAD_ON(policy, processor, slot) {
            struct thread *thread = &policy->threads[slot];
            thread->juggle.standing_ns += thread->run_ns;
            furthest_ns = max_i64(furthest_ns, thread->juggle.standing_ns);
        }
    FOR_EACH_PROCESSOR_OF(domain, processor)
        FOR_EACH_THREAD_ON(policy, processor, slot)
            if (waits_for_others(&policy->threads[slot]))
                policy->threads[slot].juggle.standing_ns = furthest_ns;
}

/* ---- rates ---- */

/* Its share of the time in which it had something to do for us; known only when it did. */
static void update_capacity(struct policy *policy, int index)
{
    struct processor_state *processor = &policy->processors[index];
    int64_t ran_ns = 0, busy_ns = 0, elapsed_ns = 0;

    processor->juggle.running_count = 0;
    processor->juggle.least_standing_ns = INT64_MAX;
    FOR_EACH_THREAD_ON(policy, index, slot) {
        const struct thread *thread = &policy->threads[slot];
        ran_ns += thread->run_ns;
        busy_ns = max_i64(busy_ns, thread->run_ns + thread->wait_ns);
        elapsed_ns = max_i64(elapsed_ns, thread->elapsed_ns);
        processor->juggle.running_count += !waits_for_others(thread);
        processor->juggle.least_standing_ns = min_i64(processor->juggle.least_standing_ns,
                                                      thread->juggle.standing_ns);
    }
    busy_ns = clamp_i64(ran_ns, busy_ns, max_i64(elapsed_ns, busy_ns));
    if (busy_ns <= 0)
        return;
    const int64_t share = min_i64(RATE_ONE * ran_ns / busy_ns, RATE_ONE);
    const int64_t weight_ns = min_i64(busy_ns, CAPACITY_MEMORY_NS);
    if (!processor->juggle.capacity)
        processor->juggle.capacity = RATE_ONE;
    processor->juggle.capacity += (share - processor->juggle.capacity) * weight_ns /
                                  CAPACITY_MEMORY_NS;
    processor->juggle.capacity = max_i64(processor->juggle.capacity, 1);
}

/* What a thread gets there, in RATE_ONE of a processor. */
static int64_t slot_rate(const struct processor_state *processor)
{
    return processor->juggle.capacity /
           (processor->juggle.running_count ? processor->juggle.running_count : 1);
}

static void update_rates(struct policy *policy, struct domain *domain)
{
    FOR_EACH_PROCESSOR_OF(domain, index) {
        update_capacity(policy, index);
        policy->processors[index].speed = slot_rate(&policy->processors[index]);
    }
}

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
        if (!policy->processors[index].online)
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
    const int64_t noise_ns = slow->juggle.running_count > 2 ? SLICE_NS : 0;

    return a->juggle.standing_ns - b->juggle.standing_ns >
               max_i64(drift_ns / DRIFT_PARTS, noise_ns) &&
           fast->juggle.least_standing_ns >= b->juggle.standing_ns;
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

    if (partner != NOWHERE && policy->processors[fast].threads_count == 1) {
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

/* Somebody waited for the others and runs again. */
static bool barrier_seen(struct policy *policy, struct domain *domain)
{
    bool seen = false;

    FOR_EACH_PROCESSOR_OF(domain, processor)
        FOR_EACH_THREAD_ON(policy, processor, slot) {
            struct thread *thread = &policy->threads[slot];
            seen |= thread->juggle.waited && !waits_for_others(thread);
            thread->juggle.waited = waits_for_others(thread);
        }
    return seen;
}

/* The time between barriers, as far as sleeping or yielding threads show it; 0 while unknown. */
static void learn_phase(struct domain *domain, bool seen, int64_t now_ns)
{
    const int64_t interval_ns = now_ns - domain->juggle.passed_ns;

    if (!seen) {
        domain->juggle.passes_in_a_row = 0;
        if (interval_ns > PHASES_FORGOTTEN * domain->juggle.phase_ns)
            domain->juggle.phase_ns = 0;
        return;
    }
    const bool same_barrier = ++domain->juggle.passes_in_a_row == PASSES_IN_A_ROW_MAX;
    if (same_barrier)
        return;
    if (!domain->juggle.phase_ns)
        domain->juggle.phase_ns = domain->juggle.passed_ns ? interval_ns : 0;
    else
        domain->juggle.phase_ns += (interval_ns - domain->juggle.phase_ns) /
                                   (interval_ns > domain->juggle.phase_ns ? LONGER_MEMORY
                                                                          : SHORTER_MEMORY);
    domain->juggle.passed_ns = now_ns;
}

static bool nothing_to_balance(const struct policy *policy, const struct domain *domain)
{
    FOR_EACH_PROCESSOR_OF(domain, index) {
        const struct processor_state *processor = &policy->processors[index];
        if (processor->online &&
            (processor->threads_count > 1 || (processor->juggle.running_count &&
                                              processor->juggle.capacity < CAPACITY_UNDISTURBED)))
            return false;
    }
    return true;
}

static enum period_reason period_reason(const struct policy *policy, const struct domain *domain)
{
    if (nothing_to_balance(policy, domain))
        return PERIOD_RESTING;
    return domain->juggle.phase_ns ? PERIOD_LEARNED : PERIOD_BLIND;
}

/* Within a slice nothing can be told of threads that take turns three or more at a time. */
static int64_t shortest_period(const struct policy *policy, const struct domain *domain)
{
    FOR_EACH_PROCESSOR_OF(domain, index)
        if (policy->processors[index].juggle.running_count > 2)
            return SLICE_NS;
    return AUTO_PERIOD_MIN_NS;
}

static int64_t period_for_phase(int64_t phase_ns)
{
    return (int64_t)sqrt((double)phase_ns * (double)AUTO_TURN_NS);
}

static void choose_period(const struct policy *policy, struct domain *domain)
{
    domain->reason = period_reason(policy, domain);
    if (domain->reason == PERIOD_RESTING) {
        domain->period_ns = AUTO_PERIOD_REST_NS;
    } else if (domain->reason == PERIOD_BLIND) {
        domain->period_ns = AUTO_PERIOD_BLIND_NS;
    } else {
        domain->period_ns = clamp_i64(period_for_phase(domain->juggle.phase_ns),
                                      shortest_period(policy, domain), AUTO_PERIOD_MAX_NS);
        domain->choice.phase_ns = domain->juggle.phase_ns;
    }
}

static void decide(struct policy *policy, struct domain *domain, int64_t now_ns, struct plan *plan)
{
    repair(policy, domain, plan);
    advance_standings(policy, domain);
    update_rates(policy, domain);
    learn_phase(domain, barrier_seen(policy, domain), now_ns);
    if (!policy->options.period_ns)
        choose_period(policy, domain);
    exchange_all(policy, domain, plan);
}

const struct policy_ops policy_juggle_ops = {
    .name = "juggle", .arrived = join_standings, .decide = decide};
