/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * To be done with the others, after the time t that is left, a thread has to spend a part of it on
 * a fast slot and may spend the rest on a slow one. With the rate f of fast slots, the rate s of
 * slow ones and the thread's level w that is
 *
 *     slow part = (f t - w) / (f - s)        fast part = (w - s t) / (f - s)
 *
 * A turn is due when the first thread has used up its part. So few exchanges reach the optimum
 * (McNaughton, 1959), and the last ones fall just before the barrier. If threads share a processor,
 * the kernel's slices decide which one waits: within a slice it may be the same one all the time.
 */
#include "libjuggle/policy/prospect.h"

#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/slots.h"

#include <math.h>

/* ---- slots ---- */

double prospect_slot_rate(const struct policy *policy, int processor)
{
    const struct juggle_processor *slots = &policy->processors[processor].juggle;

    return slots->power / (double)max_i64(duty_sharers(&slots->duty), 1);
}

/* A fast slot is above the mean by more than the error of measured capacities. The margin is small
 * for many threads, because one slow slot of many lifts the others above the mean by little. */
bool prospect_is_fast(const struct prospect *prospect, double rate)
{
    return rate > prospect->mean_rate * (1 + 0.2 / prospect->threads_count);
}

double prospect_finish_ns(const struct processor_state *processor, const struct duty *duty)
{
    return duty->count
               ? duty->load_ns * duty_sharers(duty) / (processor->juggle.power * duty->count)
               : 0;
}

/* ---- levels ---- */

double prospect_level_ns(const struct domain *domain, const struct thread *thread)
{
    const struct juggle_domain *phase = &domain->juggle;

    if (!phase->regular_count)
        return (double)(phase->furthest_ns - thread->juggle.standing_ns) + INTERVAL_MAX_NS / 2;
    return (double)(phase->start_ns + phase->work_ns - thread->juggle.standing_ns);
}

static bool takes_part(const struct prospect *prospect, const struct thread *thread)
{
    return prospect->whole || !waits_for_others(thread);
}

static double work_of(const struct prospect *prospect, const struct domain *domain,
                      const struct thread *thread)
{
    if (prospect->whole)
        return (double)domain->juggle.work_ns;
    return fmax(prospect_level_ns(domain, thread), 0);
}

/* ---- the sums ---- */

static void add_processor(struct policy *policy, const struct domain *domain,
                          struct prospect *prospect, int index)
{
    struct processor_state *processor = &policy->processors[index];
    struct juggle_processor *slots = &processor->juggle;

    slots->power = (double)slots_power(policy, index, prospect->whole) / (double)RATE_ONE;
    slots->duty = (struct duty){0};
    FOR_EACH_THREAD_ON(policy, index, thread) {
        if (!takes_part(prospect, thread)) {
            slots->duty.burning_count += spins_at_barrier(thread);
            continue;
        }
        const double work = work_of(prospect, domain, thread);
        slots->duty.count++;
        slots->duty.load_ns += work;
        prospect->work_most = fmax(prospect->work_most, work);
    }
    if (!slots->duty.count)
        return;
    prospect->power_sum += prospect_slot_rate(policy, index) * slots->duty.count;
    prospect->threads_count += slots->duty.count;
    prospect->crowd = slots->duty.count > prospect->crowd ? slots->duty.count : prospect->crowd;
    prospect->work_sum += slots->duty.load_ns;
    prospect->stay_ns = fmax(prospect->stay_ns, prospect_finish_ns(processor, &slots->duty));
}

static void tell_slots_apart(const struct policy *policy, const struct domain *domain,
                             struct prospect *prospect)
{
    double fast_sum = 0;
    int fast_count = 0;

    prospect->mean_rate = prospect->power_sum / prospect->threads_count;
    FOR_EACH_PROCESSOR_OF(domain, processor) {
        const int count = policy->processors[processor].juggle.duty.count;
        const double rate = prospect_slot_rate(policy, processor);
        if (!count || !prospect_is_fast(prospect, rate))
            continue;
        fast_sum += rate * count;
        fast_count += count;
    }
    const int slow_count = prospect->threads_count - fast_count;
    prospect->fast_rate = fast_count ? fast_sum / fast_count : prospect->mean_rate;
    prospect->slow_rate = slow_count ? (prospect->power_sum - fast_sum) / slow_count
                                     : prospect->mean_rate;
}

struct prospect prospect_of(struct policy *policy, struct domain *domain, bool whole)
{
    struct prospect prospect = {.whole = whole};

    FOR_EACH_PROCESSOR_OF(domain, processor)
        add_processor(policy, domain, &prospect, processor);
    if (!prospect.threads_count)
        return prospect;
    tell_slots_apart(policy, domain, &prospect);
    prospect.left_ns = fmax(prospect.work_sum / prospect.power_sum,
                            prospect.work_most / prospect.fast_rate);
    return prospect;
}

/* ---- parts ---- */

static double slow_part(const struct prospect *prospect, double work, bool shared)
{
    const double budget = prospect->fast_rate * prospect->left_ns - work;
    const double difference = prospect->fast_rate - prospect->slow_rate;

    if (!shared)
        return budget / difference;
    return fmax(budget / prospect->fast_rate, (budget - (double)SLICE_NS) / difference);
}

static double fast_part(const struct prospect *prospect, double work)
{
    return (work - prospect->slow_rate * prospect->left_ns) /
           (prospect->fast_rate - prospect->slow_rate);
}

double prospect_first_part_ns(const struct policy *policy, const struct domain *domain,
                              const struct prospect *prospect)
{
    double first_ns = INFINITY;

    if (prospect->fast_rate <= prospect->slow_rate)
        return first_ns;
    FOR_EACH_PROCESSOR_OF(domain, processor) {
        const bool shared = policy->processors[processor].juggle.duty.count > 1;
        const bool fast = prospect_is_fast(prospect, prospect_slot_rate(policy, processor));
        FOR_EACH_THREAD_ON(policy, processor, thread) {
            if (!takes_part(prospect, thread))
                continue;
            const double work = work_of(prospect, domain, thread);
            first_ns = fmin(first_ns,
                            fast ? fast_part(prospect, work) : slow_part(prospect, work, shared));
        }
    }
    return first_ns;
}
