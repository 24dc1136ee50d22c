/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/policy/slots.h"

#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/telling.h"

/* Processors whose rates differ by less are alike. */
#define DIFFERENCE_MIN (RATE_ONE * 3 / 100)

/* A year: a thread that reports more work reports falsely. */
#define SCALED_MAX (INT64_C(1) << 55)

static int64_t bounded(double value)
{
    return value < (double)SCALED_MAX ? (int64_t)value : SCALED_MAX;
}

static int64_t scaled(int64_t value, int64_t rate)
{
    return rate == RATE_ONE ? value : bounded((double)value * (double)rate / (double)RATE_ONE);
}

/* ---- processors ---- */

int64_t slots_processor_rate(const struct policy *policy, int processor)
{
    const int64_t learned = policy->processors[processor].learned_rate;

    return policy->machine.processors[processor].rate || !learned
               ? machine_rate(&policy->machine, processor)
               : learned;
}

int64_t slots_smt_rate(const struct policy *policy, int processor)
{
    const struct domain *domain = &policy->domains[policy->processors[processor].domain];

    return policy->machine.smt_rate || !domain->learning.smt_rate
               ? machine_smt_rate(&policy->machine)
               : domain->learning.smt_rate;
}

int slots_place(const struct policy *policy, const struct domain *domain,
                const struct thread *thread)
{
    const int processor = thread->last.processor;

    if (processor < domain->first || processor >= domain->first + domain->count ||
        !policy->processors[processor].online)
        return thread->processor;
    return processor;
}

/* ---- siblings ---- */

static int64_t ran_ns(const struct policy *policy, int processor)
{
    int64_t sum_ns = 0;

    FOR_EACH_THREAD_ON(policy, processor, thread)
        sum_ns += thread->run_ns;
    return sum_ns;
}

/* Returns the next sibling in the processor's domain. What another domain does is left out, because
 * it changes while this one decides. */
static int sibling_after(const struct policy *policy, int processor)
{
    const int domain = policy->processors[processor].domain;

    do
        processor = policy->siblings[processor];
    while (policy->processors[processor].domain != domain);
    return processor;
}

/* Returns the share of the processor's run time in the last period in which a sibling ran threads
 * of ours, as if all began at the same time. */
static double beside_of(const struct policy *policy, int processor)
{
    const int64_t own_ns = ran_ns(policy, processor);
    int64_t most_ns = 0;

    for (int sibling = sibling_after(policy, processor); sibling != processor;
         sibling = sibling_after(policy, sibling))
        most_ns = max_i64(most_ns, ran_ns(policy, sibling));
    return most_ns < own_ns ? (double)most_ns / (double)own_ns : most_ns > 0;
}

static bool sibling_runs(const struct policy *policy, int processor, bool whole)
{
    for (int sibling = sibling_after(policy, processor); sibling != processor;
         sibling = sibling_after(policy, sibling)) {
        const struct processor_state *state = &policy->processors[sibling];
        if (whole ? state->threads_count : state->juggle.duty.count)
            return true;
    }
    return false;
}

/* ---- rates ---- */

void slots_observe(struct policy *policy, struct domain *domain)
{
    const int64_t lost = RATE_ONE - slots_smt_rate(policy, domain->first);

    FOR_EACH_PROCESSOR_OF(domain, processor) {
        struct juggle_processor *state = &policy->processors[processor].juggle;

        state->beside = beside_of(policy, processor);
        state->rate = scaled(slots_processor_rate(policy, processor),
                             RATE_ONE - (int64_t)((double)lost * state->beside));
    }
}

/* Returns the rate of the processor where the thread was in the last period, which was not its home
 * if masks were open. */
static int64_t rate_of(const struct policy *policy, const struct thread *thread)
{
    const struct domain *domain = &policy->domains[policy->processors[thread->processor].domain];
    const int processor = domain->juggle.rest.open ? slots_place(policy, domain, thread)
                                                   : thread->processor;

    return policy->processors[processor].juggle.rate;
}

int64_t slots_work_ns(const struct policy *policy, const struct thread *thread, int64_t time_ns)
{
    return scaled(time_ns, rate_of(policy, thread));
}

int64_t slots_time_ns(const struct policy *policy, const struct thread *thread, int64_t work_ns)
{
    const int64_t rate = rate_of(policy, thread);

    return rate == RATE_ONE ? work_ns : bounded((double)work_ns * (double)RATE_ONE / (double)rate);
}

int64_t slots_worked_ns(const struct policy *policy, const struct thread *thread)
{
    if (thread->reports)
        return thread->work_ns;
    return slots_work_ns(policy, thread, telling_used_ns(thread));
}

int64_t slots_power(const struct policy *policy, int processor, bool whole)
{
    const int64_t smt_rate = slots_smt_rate(policy, processor);
    const int64_t rate = slots_processor_rate(policy, processor);
    const int64_t capacity = policy->processors[processor].juggle.capacity;
    const bool beside = smt_rate != RATE_ONE && sibling_runs(policy, processor, whole);
    const int64_t power = scaled(scaled(capacity ? capacity : RATE_ONE, rate),
                                 beside ? smt_rate : RATE_ONE);

    /* With a power of 0, no exchange would have its threads done sooner. */
    return max_i64(power, 1);
}

/* Updates the capacity: of the time in which threads of ours wanted the processor, the share in
 * which it ran them. Known only if some did. Also counts the threads that share it. */
static void update_capacity(struct policy *policy, int index)
{
    struct processor_state *processor = &policy->processors[index];
    int64_t ran_ns = 0, busy_ns = 0, elapsed_ns = 0;

    processor->juggle.duty.count = 0;
    FOR_EACH_THREAD_ON(policy, index, thread) {
        ran_ns += thread->run_ns;
        busy_ns = max_i64(busy_ns, thread->run_ns + thread->wait_ns);
        elapsed_ns = max_i64(elapsed_ns, thread->elapsed_ns);
        processor->juggle.duty.count += !waits_for_others(thread) || spins_at_barrier(thread);
    }
    busy_ns = clamp_i64(ran_ns, busy_ns, max_i64(elapsed_ns, busy_ns));
    if (busy_ns <= 0)
        return;
    const int64_t share = min_i64(share_of(ran_ns, busy_ns), RATE_ONE);
    const int64_t weight_ns = min_i64(busy_ns, CAPACITY_MEMORY_NS);
    if (!processor->juggle.capacity)
        processor->juggle.capacity = RATE_ONE;
    processor->juggle.capacity += (share - processor->juggle.capacity) * weight_ns /
                                  CAPACITY_MEMORY_NS;
    processor->juggle.capacity = max_i64(processor->juggle.capacity, 1);
}

void slots_update(struct policy *policy, struct domain *domain)
{
    FOR_EACH_PROCESSOR_OF(domain, processor)
        update_capacity(policy, processor);
}

/* ---- whether processors differ ---- */

/* Returns the power by the machine alone, because what other programs take may be chance. */
static int64_t bare_power(const struct policy *policy, int processor)
{
    return scaled(slots_processor_rate(policy, processor), sibling_runs(policy, processor, true)
                                                               ? slots_smt_rate(policy, processor)
                                                               : RATE_ONE);
}

bool slots_processors_alike(const struct policy *policy, const struct domain *domain)
{
    int64_t slowest = INT64_MAX, fastest = 0;

    FOR_EACH_PROCESSOR_OF(domain, processor) {
        const int64_t rate = bare_power(policy, processor);
        if (!policy->processors[processor].online)
            continue;
        if (policy->processors[processor].threads_count)
            slowest = min_i64(slowest, rate);
        fastest = max_i64(fastest, rate);
    }
    return slowest == INT64_MAX || fastest - slowest < DIFFERENCE_MIN;
}
