/* SPDX-License-Identifier: BSD-3-Clause */
/* What the policy believes, for reports and tests. */
#include "libjuggle/policy/slots.h"

#include <errno.h>

int policy_thread(const struct policy *policy, int index, struct thread_view *view)
{
    if (index < 0 || index >= policy->threads_limit || !policy->threads[index].present)
        return -ENOENT;

    const struct thread *thread = &policy->threads[index];
    const int64_t run_ns = thread->last.run_ns - thread->first.run_ns;
    const int64_t wait_ns = thread->last.wait_ns - thread->first.wait_ns;
    const int64_t elapsed_ns = thread->last.now_ns - thread->first.now_ns;
    *view = (struct thread_view){
        .processor = thread->processor,
        .scope = thread->scope,
        .state = thread->state,
        .progress_ns = thread->progress_ns,
        .run_ns = run_ns,
        .wait_ns = wait_ns,
        .blocked_ns = max_i64(elapsed_ns - run_ns - wait_ns, 0),
        .slices_count = max_i64(thread->last.slices_count - thread->first.slices_count, 0),
    };
    return 0;
}

int policy_thread_after(const struct policy *policy, int processor, int thread)
{
    return thread == NOWHERE ? policy->processors[processor].head : policy->threads[thread].next;
}

int64_t policy_period(const struct policy *policy, int domain)
{
    return policy->domains[domain].period_ns;
}

const struct period_choice *policy_period_choice(const struct policy *policy, int domain)
{
    return &policy->domains[domain].choice;
}

int64_t policy_period_ahead(const struct policy *policy, int domain)
{
    const struct domain *state = &policy->domains[domain];

    return (int64_t)(state->stretch * (double)state->period_ns);
}

bool policy_machine(const struct policy *policy, struct machine *machine)
{
    bool learned = false;

    *machine = policy->machine;
    for (int i = 0; i < machine->processors_count; i++) {
        const struct domain *domain = &policy->domains[machine->processors[i].domain];
        const bool unknown = !machine->smt_rate;
        learned |= policy->processors[i].learned_rate || (unknown && domain->learning.smt_rate);
        machine->processors[i].rate = slots_processor_rate(policy, i);
        if (unknown)
            machine->smt_rate = domain->learning.smt_rate;
    }
    return learned;
}

/* ---- why turns came when they did ---- */

static const char *const reason_names[PERIOD_REASONS_COUNT] = {
    [PERIOD_GIVEN] = "given",     [PERIOD_LEARNED] = "learned", [PERIOD_BLIND] = "blind",
    [PERIOD_RESTING] = "resting", [PERIOD_SHORT] = "short",     [PERIOD_SPUN] = "spun",
};

double period_choice_resting_share(const struct period_choice *choice)
{
    int64_t sum_ns = 0;

    for (int i = 0; i < PERIOD_REASONS_COUNT; i++)
        sum_ns += choice->time_ns[i];
    const int64_t resting_ns = choice->time_ns[PERIOD_RESTING] + choice->time_ns[PERIOD_SHORT];
    return sum_ns > 0 ? (double)resting_ns / (double)sum_ns : 0;
}

const char *period_reason_name(enum period_reason reason)
{
    return reason_names[reason];
}
