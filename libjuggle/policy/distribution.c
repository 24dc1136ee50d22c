/* SPDX-License-Identifier: BSD-3-Clause */
/* Homes that do not depend on progress: first distribution, arrivals, lost processors, and the
 * repair of counts that have become uneven. */
#include "libjuggle/policy/occupancy.h"

/* ---- the first distribution ---- */

/* Sets how many threads each processor and each domain is to hold. False if no processor is online.
 */
static bool quotas(const struct policy *policy, struct occupancy *quota)
{
    occupancy_now(policy, quota);
    for (int i = 0; i < policy->threads_count; i++) {
        const int processor = occupancy_emptiest(policy, quota, NOWHERE);
        if (processor == NOWHERE)
            return false;
        quota->threads[processor]++;
        quota->held[policy->processors[processor].domain]++;
    }
    return true;
}

/* Returns the domain of the thread's memory while its quota lasts, then NOWHERE. */
static int preferred_domain(const struct policy *policy, const struct thread *thread,
                            const struct occupancy *quota)
{
    const int hint = thread->hint;

    if (hint >= 0 && hint < policy->machine.domains_count && quota->held[hint] > 0)
        return hint;
    return NOWHERE;
}

/* Takes one thread off the domain's quota and returns its processor: the next one after `cursor`
 * with quota, in the order that spreads over cores first. */
static int next_processor(const struct policy *policy, int domain, struct occupancy *quota,
                          int *cursor)
{
    for (;;) {
        const int index = policy->processor_order[*cursor];
        *cursor = (*cursor + 1) % policy->machine.processors_count;
        if (policy->processors[index].domain != domain || !quota->threads[index])
            continue;
        quota->threads[index]--;
        quota->held[domain]--;
        return index;
    }
}

void distribute(struct policy *policy, struct plan *plan)
{
    struct occupancy quota;
    int cursor[MACHINE_DOMAINS_MAX] = {0};
    int domain = 0;

    if (!quotas(policy, &quota))
        return;
    for (int index = 0; index < policy->threads_limit; index++) {
        struct thread *thread = &policy->threads[index];
        const int home = thread->present ? preferred_domain(policy, thread, &quota) : NOWHERE;
        if (home != NOWHERE)
            plan_move(policy, plan, index, next_processor(policy, home, &quota, &cursor[home]),
                      SCOPE_PROCESSOR);
    }
    for (int index = 0; index < policy->threads_limit; index++) {
        if (!policy->threads[index].present || policy->threads[index].processor != NOWHERE)
            continue;
        while (quota.held[domain] == 0)
            domain = (domain + 1) % policy->machine.domains_count;
        plan_move(policy, plan, index, next_processor(policy, domain, &quota, &cursor[domain]),
                  SCOPE_PROCESSOR);
        domain = (domain + 1) % policy->machine.domains_count;
    }
}

/* ---- arrivals, lost processors ---- */

/* While the domain rests, masks stay open. */
static void settle(struct policy *policy, int index, int processor, struct plan *plan)
{
    const struct domain *domain = &policy->domains[policy->processors[processor].domain];

    plan_move(policy, plan, index, processor,
              domain->juggle.rest.open ? SCOPE_DOMAIN : SCOPE_PROCESSOR);
}

void place_arrival(struct policy *policy, int index, struct plan *plan)
{
    struct occupancy occupancy;

    occupancy_now(policy, &occupancy);
    const int processor = occupancy_emptiest(policy, &occupancy, NOWHERE);
    if (processor != NOWHERE)
        settle(policy, index, processor, plan);
}

/* Moves all threads off a lost processor: within the domain while that has a processor online, else
 * anywhere. If no processor is online they stay where they are. */
void evacuate(struct policy *policy, int lost, struct plan *plan)
{
    const int home = policy->processors[lost].domain;
    const int domain = policy->domains[home].online_count ? home : NOWHERE;

    while (policy->processors[lost].head != NOWHERE) {
        struct occupancy occupancy = {0};
        if (domain == NOWHERE)
            occupancy_now(policy, &occupancy);
        else
            occupancy_count(policy, domain, &occupancy);
        const int processor = occupancy_emptiest(policy, &occupancy, domain);
        if (processor == NOWHERE)
            return;
        settle(policy, policy->processors[lost].head, processor, plan);
    }
}

/* ---- repair ---- */

/* Up to this many threads are searched for one by one; for more, all are sorted. */
enum { REPAIRS_FEW = 8 };

/* Returns the thread to move to an emptier processor: one that can be moved, then one that does not
 * sleep, then the one with the least progress. */
static int repair_candidate(const struct policy *policy, int processor)
{
    int best = NOWHERE;

    FOR_EACH_THREAD_ON(policy, processor, thread) {
        const struct thread *other = best == NOWHERE ? NULL : &policy->threads[best];
        const bool asleep = thread->state == THREAD_BLOCKED;
        const bool other_asleep = other && other->state == THREAD_BLOCKED;
        if (!other || thread->stuck < other->stuck ||
            (thread->stuck == other->stuck &&
             (asleep < other_asleep ||
              (asleep == other_asleep && thread->progress_ns < other->progress_ns))))
            best = thread_index(policy, thread);
    }
    return best;
}

/* Sorts threads in the same order, for thousands of moves at once: `order` holds the threads of
 * each processor as a list from `reserve` on, whose links are in `others`. */
static void reserves_fill(struct policy *policy, struct domain *domain)
{
    const int64_t span = INT64_C(1) << 56;
    int count = 0;

    FOR_EACH_THREAD_OF(policy, domain, thread)
        domain->order[count++] = (struct sort_item){
            .key = (2 * thread->stuck + (thread->state == THREAD_BLOCKED)) * span +
                   clamp_i64(thread->progress_ns, 0, span - 1),
            .index = thread_index(policy, thread),
        };
    sort_items(domain->order, count);
    FOR_EACH_PROCESSOR_OF(domain, index)
        policy->processors[index].reserve = NOWHERE;
    for (int i = count - 1; i >= 0; i--) {
        int *first = &policy->processors[policy->threads[domain->order[i].index].processor].reserve;

        domain->others[i].index = *first;
        *first = i;
    }
}

/* Takes the first thread off that list. NOWHERE if all that are left there have come meanwhile. */
static int reserve_take(struct policy *policy, const struct domain *domain, int processor)
{
    int *first = &policy->processors[processor].reserve;
    const int place = *first;

    if (place == NOWHERE)
        return NOWHERE;
    *first = domain->others[place].index;
    return domain->order[place].index;
}

/* Returns the processor on which a thread of the fullest one would be done sooner, or NOWHERE. */
static int relief_from(const struct policy *policy, int domain, struct occupancy *occupancy,
                       int fullest)
{
    const int64_t work = occupancy_work(policy, occupancy, fullest, 0);

    occupancy->threads[fullest]--;
    occupancy->held[domain]--;
    const int best = occupancy_emptiest(policy, occupancy, domain);
    if ((occupancy->threads[fullest] && occupancy_needs(policy, occupancy, best)) ||
        occupancy_work(policy, occupancy, best, 1) * occupancy_rate(policy, fullest) <
            work * occupancy_rate(policy, best))
        return best;
    return NOWHERE;
}

/* Finds the fullest processor and returns the one that relieves it. If that is a slow processor
 * with a single thread, which stays, it tries those that hold two or more. */
static int relief_of(const struct policy *policy, const struct domain *domain, int *fullest)
{
    const int index = (int)(domain - policy->domains);
    int relief = NOWHERE;

    for (int least = 1; least <= 2 && relief == NOWHERE; least++) {
        struct occupancy occupancy = {0};
        occupancy_count(policy, index, &occupancy);
        *fullest = occupancy_fullest(policy, domain, &occupancy, least);
        if (*fullest != NOWHERE)
            relief = relief_from(policy, index, &occupancy, *fullest);
    }
    return relief;
}

void repair(struct policy *policy, struct domain *domain, struct plan *plan)
{
    for (int moves_count = 0;; moves_count++) {
        int fullest;
        const int relief = relief_of(policy, domain, &fullest);
        if (relief == NOWHERE)
            return;
        if (moves_count == REPAIRS_FEW)
            reserves_fill(policy, domain);
        int index = moves_count < REPAIRS_FEW ? NOWHERE : reserve_take(policy, domain, fullest);
        if (index == NOWHERE)
            index = repair_candidate(policy, fullest);
        plan_move(policy, plan, index, relief, SCOPE_PROCESSOR);
    }
}
