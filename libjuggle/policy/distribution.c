/* SPDX-License-Identifier: BSD-3-Clause */
/* Who lives where by counts alone: first distribution, arrivals, lost processors, and the
 * off-by-one repair. */
#include "libjuggle/policy/state.h"

/* ---- the order of processors ---- */

/*
 * One hardware thread of each core first, so that a first distribution fills cores before siblings;
 * of those, the faster ones first.
 */
void distribution_order(struct policy *policy)
{
    const int count = policy->machine.processors_count;
    struct sort_item items[MACHINE_PROCESSORS_MAX];

    for (int i = 0; i < count; i++) {
        int siblings_before = 0;
        for (int j = 0; j < i; j++)
            siblings_before += policy->machine.processors[j].core ==
                               policy->machine.processors[i].core;
        items[i] = (struct sort_item){
            .key = siblings_before * (RATE_MAX + 1) - machine_rate(&policy->machine, i),
            .index = i,
        };
    }
    sort_items(items, count);
    for (int i = 0; i < count; i++)
        policy->processor_order[i] = items[i].index;
}

void distribution_link_siblings(struct policy *policy)
{
    const struct processor *processors = policy->machine.processors;
    const int count = policy->machine.processors_count;

    for (int i = 0; i < count; i++) {
        int next = (i + 1) % count;
        while (processors[next].core != processors[i].core)
            next = (next + 1) % count;
        policy->siblings[i] = next;
    }
}

/* ---- counts ---- */

/* Of the domains, the one whose processors would hold the fewest threads each with one more. */
static int emptiest_domain(const struct policy *policy, const int *held)
{
    int best = NOWHERE;

    for (int i = 0; i < policy->machine.domains_count; i++) {
        const int64_t online = policy->domains[i].online_count;
        if (online == 0)
            continue;
        if (best == NOWHERE ||
            (held[i] + 1) * (int64_t)policy->domains[best].online_count < (held[best] + 1) * online)
            best = i;
    }
    return best;
}

/* The online processor with the fewest threads; of equals, the first whose core is least shared. */
static int emptiest_processor(const struct policy *policy, int domain)
{
    int best = NOWHERE;

    for (int i = 0; i < policy->machine.processors_count; i++) {
        const int index = policy->processor_order[i];
        const struct processor_state *processor = &policy->processors[index];
        if (!processor->online || processor->domain != domain)
            continue;
        if (best == NOWHERE || processor->threads_count < policy->processors[best].threads_count)
            best = index;
    }
    return best;
}

static void held_now(const struct policy *policy, int *held)
{
    for (int i = 0; i < policy->machine.domains_count; i++)
        held[i] = policy->domains[i].threads_count;
}

/* How many threads each domain shall hold: as even per processor as whole threads allow. */
static void quotas(const struct policy *policy, int *quota)
{
    for (int i = 0; i < policy->machine.domains_count; i++)
        quota[i] = 0;
    for (int i = 0; i < policy->threads_count; i++)
        quota[emptiest_domain(policy, quota)]++;
}

/* The domain of the thread's memory while its quota lasts. */
static int preferred_domain(const struct policy *policy, const struct thread *thread,
                            const int *quota)
{
    const int hint = thread->hint;

    if (hint >= 0 && hint < policy->machine.domains_count && quota[hint] > 0)
        return hint;
    return NOWHERE;
}

/* Cyclically over the domain's processors: continues after `cursor` in the order that spreads over
 * cores first. */
static int next_processor(const struct policy *policy, int domain, int *cursor)
{
    const int count = policy->machine.processors_count;

    for (int step = 0; step < count; step++) {
        const int index = policy->processor_order[*cursor];
        *cursor = (*cursor + 1) % count;
        if (policy->processors[index].online && policy->processors[index].domain == domain)
            return index;
    }
    return NOWHERE;
}

void distribute(struct policy *policy, struct plan *plan)
{
    int quota[MACHINE_DOMAINS_MAX] = {0};
    int cursor[MACHINE_DOMAINS_MAX] = {0};
    int domain = 0;

    quotas(policy, quota);
    for (int slot = 0; slot < policy->slots_count; slot++) {
        struct thread *thread = &policy->threads[slot];
        const int home = thread->present ? preferred_domain(policy, thread, quota) : NOWHERE;
        if (home == NOWHERE)
            continue;
        quota[home]--;
        plan_move(policy, plan, slot, next_processor(policy, home, &cursor[home]), SCOPE_PROCESSOR);
    }
    for (int slot = 0; slot < policy->slots_count; slot++) {
        if (!policy->threads[slot].present || policy->threads[slot].processor != NOWHERE)
            continue;
        while (quota[domain] == 0)
            domain = (domain + 1) % policy->machine.domains_count;
        quota[domain]--;
        plan_move(policy, plan, slot, next_processor(policy, domain, &cursor[domain]),
                  SCOPE_PROCESSOR);
        domain = (domain + 1) % policy->machine.domains_count;
    }
}

void place_arrival(struct policy *policy, int slot, struct plan *plan)
{
    int held[MACHINE_DOMAINS_MAX];

    held_now(policy, held);
    const int domain = emptiest_domain(policy, held);
    if (domain != NOWHERE)
        plan_move(policy, plan, slot, emptiest_processor(policy, domain), SCOPE_PROCESSOR);
}

/* Stays in the domain while it has a processor left. With no processor anywhere threads stay where
 * they are. */
void evacuate(struct policy *policy, int lost, struct plan *plan)
{
    const int home = policy->processors[lost].domain;
    int held[MACHINE_DOMAINS_MAX];

    while (policy->processors[lost].head != NOWHERE) {
        held_now(policy, held);
        const int domain = policy->domains[home].online_count ? home
                                                              : emptiest_domain(policy, held);
        if (domain == NOWHERE)
            return;
        plan_move(policy, plan, policy->processors[lost].head, emptiest_processor(policy, domain),
                  SCOPE_PROCESSOR);
    }
}

/* Whom to move to an emptier processor: who can be moved, runs rather than sleeps, and has
 * progressed least. */
static int repair_candidate(const struct policy *policy, int processor)
{
    int best = NOWHERE;

    FOR_EACH_THREAD_ON(policy, processor, slot) {
        const struct thread *thread = &policy->threads[slot];
        const struct thread *other = best == NOWHERE ? NULL : &policy->threads[best];
        const bool asleep = thread->state == THREAD_BLOCKED;
        const bool other_asleep = other && other->state == THREAD_BLOCKED;
        if (!other || thread->stuck < other->stuck ||
            (thread->stuck == other->stuck &&
             (asleep < other_asleep ||
              (asleep == other_asleep && thread->progress_ns < other->progress_ns))))
            best = slot;
    }
    return best;
}

void repair(struct policy *policy, struct domain *domain, struct plan *plan)
{
    for (;;) {
        int fullest = NOWHERE, emptiest = NOWHERE;

        FOR_EACH_PROCESSOR_OF(domain, index) {
            const int count = policy->processors[index].threads_count;
            if (!policy->processors[index].online)
                continue;
            if (fullest == NOWHERE || count > policy->processors[fullest].threads_count)
                fullest = index;
            if (emptiest == NOWHERE || count < policy->processors[emptiest].threads_count)
                emptiest = index;
        }
        if (fullest == NOWHERE || policy->processors[fullest].threads_count <=
                                      policy->processors[emptiest].threads_count + 1)
            return;
        plan_move(policy, plan, repair_candidate(policy, fullest), emptiest, SCOPE_PROCESSOR);
    }
}
