/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of what is left of the phase, a thread has to spend a part on a fast slot to be done with the
 * others, and may spend the rest on a slow one. With a rate f of fast slots, s of slow ones, a time
 * t left and its own work w that is
 *
 *     slow part = (f t - w) / (f - s)        fast part = (w - s t) / (f - s)
 *
 * A turn is due when somebody has used up its part: so few exchanges reach the optimum (McNaughton,
 * 1959), and the last ones fall just before the barrier. Where threads share a processor, the
 * kernel's slices decide who waits: within a slice it may be one of them all the time.
 */
#include "libjuggle/policy/pace.h"

#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/slots.h"

#include <math.h>

/* What a turn takes away of each processor: docs/performance.md. */
#define TURN_NS (50 * (double)NSEC_PER_USEC)

/* Of a phase: what is gained by less is not worth a turn. */
#define GAIN_MIN 0.003

#define INTERVAL_MIN_NS (1 * (double)NSEC_PER_MSEC)
#define INTERVAL_MAX_NS (20 * (double)NSEC_PER_MSEC)

/* For pace_period: turn and barrier cost as much as this, measured. */
#define PERIOD_TURN_NS  (200 * (double)NSEC_PER_USEC)
#define PERIOD_LEAST_NS (2 * (double)NSEC_PER_MSEC)

/* Rates are shares of a processor, times nanoseconds: double, as shares are no whole numbers. */
struct outlook {
    bool whole; /* of a phase from its beginning, when everybody runs; else of what is left of it */
    int threads_count;
    int crowd; /* most threads that share a processor */
    double rate_sum;
    double work_sum, work_most;
    double mean_rate; /* of a slot */
    double fast_rate; /* mean of those above it */
    double slow_rate; /* and of the others */
    double left_ns;   /* until all are done, if balanced; and if nobody moves any more */
    double stay_ns;
};

/* ---- slots ---- */

static bool takes_part(const struct outlook *outlook, const struct thread *thread)
{
    return outlook->whole || !waits_for_others(thread);
}

static int sharers(const struct policy *policy, const struct outlook *outlook, int processor)
{
    int count = 0;

    FOR_EACH_THREAD_ON(policy, processor, slot)
        count += takes_part(outlook, &policy->threads[slot]);
    return count;
}

/* What those who take part have of a processor; who waits may burn the rest. */
static double rate_of(const struct policy *policy, const struct outlook *outlook, int processor)
{
    const double rate = (double)slots_power(policy, processor, outlook->whole) / (double)RATE_ONE;
    int burning_count = 0;

    if (outlook->whole)
        return rate;
    FOR_EACH_THREAD_ON(policy, processor, slot)
        burning_count += burns(&policy->threads[slot]);
    const int count = sharers(policy, outlook, processor);
    return burning_count ? rate * count / (count + burning_count) : rate;
}

/* Faster than the mean by more than measuring capacities blurs: one slow slot of many lifts the
 * others by little. */
static bool is_fast(const struct outlook *outlook, double rate)
{
    return rate > outlook->mean_rate * (1 + 0.5 / outlook->threads_count);
}

static double work_of(const struct outlook *outlook, const struct juggle_domain *phase,
                      const struct thread *thread)
{
    if (outlook->whole)
        return (double)phase->work_ns;
    return (double)max_i64(phase->start_ns + phase->work_ns - thread->juggle.standing_ns, 0);
}

/* ---- outlook ---- */

static void sum_up(const struct policy *policy, const struct domain *domain,
                   struct outlook *outlook)
{
    FOR_EACH_PROCESSOR_OF(domain, processor) {
        const int count = sharers(policy, outlook, processor);
        if (!count)
            continue;
        outlook->rate_sum += rate_of(policy, outlook, processor);
        outlook->threads_count += count;
        outlook->crowd = count > outlook->crowd ? count : outlook->crowd;
        double load = 0;
        FOR_EACH_THREAD_ON(policy, processor, slot) {
            const double work = work_of(outlook, &domain->juggle, &policy->threads[slot]);
            load += work;
            outlook->work_most = fmax(outlook->work_most, work);
        }
        outlook->work_sum += load;
        outlook->stay_ns = fmax(outlook->stay_ns, load / rate_of(policy, outlook, processor));
    }
}

static void tell_slots_apart(const struct policy *policy, const struct domain *domain,
                             struct outlook *outlook)
{
    double fast_sum = 0;
    int fast_count = 0;

    outlook->mean_rate = outlook->rate_sum / outlook->threads_count;
    FOR_EACH_PROCESSOR_OF(domain, processor) {
        const int count = sharers(policy, outlook, processor);
        if (!count || !is_fast(outlook, rate_of(policy, outlook, processor) / count))
            continue;
        fast_sum += rate_of(policy, outlook, processor);
        fast_count += count;
    }
    const int slow_count = outlook->threads_count - fast_count;
    outlook->fast_rate = fast_count ? fast_sum / fast_count : outlook->mean_rate;
    outlook->slow_rate = slow_count ? (outlook->rate_sum - fast_sum) / slow_count
                                    : outlook->mean_rate;
}

static struct outlook look(const struct policy *policy, const struct domain *domain, bool whole)
{
    struct outlook outlook = {.whole = whole};

    sum_up(policy, domain, &outlook);
    if (!outlook.threads_count)
        return outlook;
    tell_slots_apart(policy, domain, &outlook);
    outlook.left_ns = fmax(outlook.work_sum / outlook.rate_sum,
                           outlook.work_most / outlook.fast_rate);
    return outlook;
}

/* ---- parts ---- */

static double slow_part(const struct outlook *outlook, double work, bool shared)
{
    const double budget = outlook->fast_rate * outlook->left_ns - work;
    const double difference = outlook->fast_rate - outlook->slow_rate;

    if (!shared)
        return budget / difference;
    return fmax(budget / outlook->fast_rate, (budget - (double)SLICE_NS) / difference);
}

static double fast_part(const struct outlook *outlook, double work)
{
    return (work - outlook->slow_rate * outlook->left_ns) /
           (outlook->fast_rate - outlook->slow_rate);
}

/* When the first thread has used up its part; never, where all slots are alike. */
static double first_part(const struct policy *policy, const struct domain *domain,
                         const struct outlook *outlook)
{
    double first_ns = INFINITY;

    if (outlook->fast_rate <= outlook->slow_rate)
        return first_ns;
    FOR_EACH_PROCESSOR_OF(domain, processor) {
        const int count = sharers(policy, outlook, processor);
        FOR_EACH_THREAD_ON(policy, processor, slot) {
            const struct thread *thread = &policy->threads[slot];
            const double work = work_of(outlook, &domain->juggle, thread);
            if (!takes_part(outlook, thread))
                continue;
            first_ns = fmin(first_ns, is_fast(outlook, rate_of(policy, outlook, processor) / count)
                                          ? fast_part(outlook, work)
                                          : slow_part(outlook, work, count > 1));
        }
    }
    return first_ns;
}

/* ---- intervals ---- */

/*
 * Turns at a distance d take a share TURN_NS / d of the time, and who waits for a turn is late by
 * d; by half of it where d is long enough for the kernel to share a processor evenly.
 */
static double shortest_interval(const struct outlook *whole, double first_ns)
{
    const double cost = whole->left_ns * TURN_NS;
    const double fine = sqrt(cost);
    const double even = fmax(sqrt(2 * cost), 2 * (double)SLICE_NS);

    if (whole->crowd > 2)
        return (double)SLICE_NS;
    if (first_ns < fine && fine + cost / fine > even / 2 + cost / even)
        return even;
    return fmax(fine, INTERVAL_MIN_NS);
}

/*
 * Turns pay when processors would be done at times that differ by more than they cost. Standings of
 * those who yield are not known that well.
 */
static bool turns_pay(const struct domain *domain, const struct outlook *left,
                      const struct outlook *whole)
{
    const double gain_ns = left->stay_ns - left->left_ns;

    return !domain->juggle.slept || gain_ns >= fmax(2 * TURN_NS, whole->left_ns * GAIN_MIN);
}

/*
 * Where nobody's part ends before the barrier, the next turn serves the phase after it; soon, to
 * see when it began.
 */
int64_t pace_next(const struct policy *policy, const struct domain *domain)
{
    const struct outlook left = look(policy, domain, false), whole = look(policy, domain, true);
    const double first_ns = first_part(policy, domain, &whole);
    const double shortest_ns = shortest_interval(&whole, first_ns);
    double next_ns = first_part(policy, domain, &left);

    if (next_ns > left.left_ns || !turns_pay(domain, &left, &whole))
        next_ns = left.left_ns + fmin(first_ns, 2 * shortest_ns);
    return (int64_t)fmin(fmax(next_ns, shortest_ns), INTERVAL_MAX_NS);
}

int64_t pace_period(const struct policy *policy, const struct domain *domain)
{
    const struct outlook outlook = look(policy, domain, false);
    const double even_ns = sqrt((double)domain->juggle.length_ns * PERIOD_TURN_NS);
    const double shortest_ns = outlook.crowd > 2 ? (double)SLICE_NS : PERIOD_LEAST_NS;

    return (int64_t)fmin(fmax(even_ns, shortest_ns), INTERVAL_MAX_NS);
}
