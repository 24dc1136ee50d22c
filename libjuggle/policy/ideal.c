/* SPDX-License-Identifier: BSD-3-Clause */
/* Section 3 of the paper: the idealized algorithm of Fig. 4, which sorts all threads every period.
 */
#include "libjuggle/policy/state.h"

static int sort_runnable(struct policy *policy, struct domain *domain)
{
    int count = 0;

    FOR_EACH_THREAD_OF(policy, domain, thread) {
        if (thread->state == THREAD_RUNNING)
            domain->order[count++] = (struct sort_item){.key = thread->progress_ns,
                                                        .index = thread_index(policy, thread)};
    }
    sort_items(domain->order, count);
    return count;
}

static int list_online(const struct policy *policy, const struct domain *domain, int *processors)
{
    int count = 0;

    FOR_EACH_PROCESSOR_OF(domain, processor)
        if (policy->processors[processor].online)
            processors[count++] = processor;
    return count;
}

/*
 * Lines 9 to 32. The paper's text confuses floor and ceiling here and there. Correct is: (n mod m)
 * processors are slow with ceil(n/m) threads each, the others fast with floor(n/m). Blocked threads
 * stay where they are.
 */
static void decide(struct policy *policy, struct domain *domain, int64_t now_ns, struct plan *plan)
{
    const int n = sort_runnable(policy, domain);
    const int m = list_online(policy, domain, domain->fast);

    (void)now_ns;
    if (!m)
        return;
    const int slow_processors = n > m ? n % m : 0;
    const int fast_processors = m - slow_processors;
    const int fast_slots = n - slow_processors * ceil_div(n, m);

    for (int j = 0; j < n; j++) {
        const int index = j < fast_slots ? j % fast_processors
                                         : fast_processors + (j - fast_slots) % slow_processors;
        plan_move(policy, plan, domain->order[j].index, domain->fast[index], SCOPE_PROCESSOR);
    }
}

const struct policy_ops policy_ideal_ops = {.name = "ideal", .decide = decide};
