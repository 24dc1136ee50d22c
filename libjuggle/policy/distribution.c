/* SPDX-License-Identifier: BSD-3-Clause */
/* Who lives where by counts alone: first distribution, arrivals, lost processors, and the
 * off-by-one repair. */
#include "libjuggle/policy/state.h"

#include <string.h>

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
    /* The paper knows of no speeds. */
    policy->by_speed = (policy->options.kind == POLICY_STATIC ||
                        policy->options.kind == POLICY_JUGGLE) &&
                       machine_unequal(&policy->machine);
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

/* ---- how long processors take ---- */

/* Of processors whose siblings are busy, where nobody says: what is usual. */
#define SMT_RATE_USUAL (RATE_ONE * 6 / 10)

/* How many threads each processor holds, or shall hold. */
struct occupancy {
    int threads[MACHINE_PROCESSORS_MAX];
    int held[MACHINE_DOMAINS_MAX];
    int64_t power[MACHINE_DOMAINS_MAX]; /* of the online processors */
};

static int64_t rate_of(const struct policy *policy, int processor)
{
    return policy->by_speed ? machine_rate(&policy->machine, processor) : RATE_ONE;
}

/* Other domains are others' business while their balancers decide. */
static void occupancy_count(const struct policy *policy, int domain, struct occupancy *occupancy)
{
    FOR_EACH_PROCESSOR_OF(&policy->domains[domain], index) {
        const struct processor_state *processor = &policy->processors[index];
        occupancy->threads[index] = processor->threads_count;
        occupancy->held[domain] += processor->threads_count;
        occupancy->power[domain] += processor->online ? rate_of(policy, index) : 0;
    }
}

static void occupancy_now(const struct policy *policy, struct occupancy *occupancy)
{
    memset(occupancy, 0, sizeof(*occupancy));
    for (int domain = 0; domain < policy->machine.domains_count; domain++)
        occupancy_count(policy, domain, occupancy);
}

static int busiest_sibling(const struct policy *policy, const struct occupancy *occupancy,
                           int processor)
{
    int most = 0;

    for (int sibling = policy->siblings[processor]; sibling != processor;
         sibling = policy->siblings[sibling])
        most = occupancy->threads[sibling] > most ? occupancy->threads[sibling] : most;
    return most;
}

/*
 * How much a processor that held `more` threads in addition, or its busiest sibling, would have to
 * do for threads of equal work, in units that its rate gets done. As long as both are busy they
 * take longer by the factor of siblings: as unequal_placed in unequal.h.
 */
static int64_t work_of(const struct policy *policy, const struct occupancy *occupancy,
                       int processor, int more)
{
    const int64_t smt = policy->machine.smt_rate ? policy->machine.smt_rate : SMT_RATE_USUAL;
    const int64_t here = occupancy->threads[processor] + more;

    if (!policy->by_speed)
        return here;
    const int64_t there = busiest_sibling(policy, occupancy, processor);
    const int64_t both = min_i64(here, there);
    return both * RATE_ONE + (max_i64(here, there) - both) * smt;
}

/* Who passes places round has work for every processor. Threads that stay where they are may all be
 * better off on a fast one. */
static bool is_needed(const struct policy *policy, const struct occupancy *occupancy, int processor)
{
    return policy->options.kind != POLICY_STATIC && !occupancy->threads[processor];
}

/* Would one more thread be done sooner on `left` than on `right`? Or is its domain emptier? */
static bool is_emptier(const struct policy *policy, const struct occupancy *occupancy, int left,
                       int right)
{
    const int64_t left_work = work_of(policy, occupancy, left, 1) * rate_of(policy, right);
    const int64_t right_work = work_of(policy, occupancy, right, 1) * rate_of(policy, left);
    const int left_domain = policy->processors[left].domain;
    const int right_domain = policy->processors[right].domain;

    if (is_needed(policy, occupancy, left) != is_needed(policy, occupancy, right))
        return is_needed(policy, occupancy, left);
    if (left_work != right_work)
        return left_work < right_work;
    return (occupancy->held[left_domain] + 1) * occupancy->power[right_domain] <
           (occupancy->held[right_domain] + 1) * occupancy->power[left_domain];
}

/*
 * The online processor, of that domain or with NOWHERE of any, where one more thread of equal work
 * is done first; of equals, that of the emptiest domain, then the first whose core is least shared.
 * To place one thread after the other there has the last of all done as early as can be.
 */
static int emptiest_processor(const struct policy *policy, const struct occupancy *occupancy,
                              int domain)
{
    int best = NOWHERE;

    for (int i = 0; i < policy->machine.processors_count; i++) {
        const int index = policy->processor_order[i];
        const struct processor_state *processor = &policy->processors[index];
        if (!processor->online || (domain != NOWHERE && processor->domain != domain))
            continue;
        if (best == NOWHERE || is_emptier(policy, occupancy, index, best))
            best = index;
    }
    return best;
}

/* ---- the first distribution ---- */

/* How many threads each processor and each domain shall hold. False: no processor is online. */
static bool quotas(const struct policy *policy, struct occupancy *quota)
{
    occupancy_now(policy, quota);
    for (int i = 0; i < policy->threads_count; i++) {
        const int processor = emptiest_processor(policy, quota, NOWHERE);
        if (processor == NOWHERE)
            return false;
        quota->threads[processor]++;
        quota->held[policy->processors[processor].domain]++;
    }
    return true;
}

/* The domain of the thread's memory while its quota lasts. */
static int preferred_domain(const struct policy *policy, const struct thread *thread,
                            const struct occupancy *quota)
{
    const int hint = thread->hint;

    if (hint >= 0 && hint < policy->machine.domains_count && quota->held[hint] > 0)
        return hint;
    return NOWHERE;
}

/* Takes one of the domain's quota: cyclically over its processors, after `cursor` in the order that
 * spreads over cores first. */
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
    for (int slot = 0; slot < policy->slots_count; slot++) {
        struct thread *thread = &policy->threads[slot];
        const int home = thread->present ? preferred_domain(policy, thread, &quota) : NOWHERE;
        if (home != NOWHERE)
            plan_move(policy, plan, slot, next_processor(policy, home, &quota, &cursor[home]),
                      SCOPE_PROCESSOR);
    }
    for (int slot = 0; slot < policy->slots_count; slot++) {
        if (!policy->threads[slot].present || policy->threads[slot].processor != NOWHERE)
            continue;
        while (quota.held[domain] == 0)
            domain = (domain + 1) % policy->machine.domains_count;
        plan_move(policy, plan, slot, next_processor(policy, domain, &quota, &cursor[domain]),
                  SCOPE_PROCESSOR);
        domain = (domain + 1) % policy->machine.domains_count;
    }
}

/* ---- arrivals, lost processors ---- */

void place_arrival(struct policy *policy, int slot, struct plan *plan)
{
    struct occupancy occupancy;

    occupancy_now(policy, &occupancy);
    const int processor = emptiest_processor(policy, &occupancy, NOWHERE);
    if (processor != NOWHERE)
        plan_move(policy, plan, slot, processor, SCOPE_PROCESSOR);
}

/* Stays in the domain while it has a processor left. With no processor anywhere threads stay where
 * they are. */
void evacuate(struct policy *policy, int lost, struct plan *plan)
{
    const int home = policy->processors[lost].domain;
    struct occupancy occupancy;

    while (policy->processors[lost].head != NOWHERE) {
        occupancy_now(policy, &occupancy);
        const int domain = policy->domains[home].online_count ? home : NOWHERE;
        const int processor = emptiest_processor(policy, &occupancy, domain);
        if (processor == NOWHERE)
            return;
        plan_move(policy, plan, policy->processors[lost].head, processor, SCOPE_PROCESSOR);
    }
}

/* ---- repair ---- */

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

/* The online processor that is done last, or NOWHERE. */
static int fullest_processor(const struct policy *policy, const struct domain *domain,
                             const struct occupancy *occupancy)
{
    int fullest = NOWHERE;

    FOR_EACH_PROCESSOR_OF(domain, index) {
        if (!policy->processors[index].online || !occupancy->threads[index])
            continue;
        if (fullest == NOWHERE ||
            work_of(policy, occupancy, index, 0) * rate_of(policy, fullest) >
                work_of(policy, occupancy, fullest, 0) * rate_of(policy, index))
            fullest = index;
    }
    return fullest;
}

/* Where a thread of the fullest processor would be done sooner, or NOWHERE. */
static int relief_of(const struct policy *policy, int domain, struct occupancy *occupancy,
                     int fullest)
{
    const int64_t work = work_of(policy, occupancy, fullest, 0);

    occupancy->threads[fullest]--;
    occupancy->held[domain]--;
    const int best = emptiest_processor(policy, occupancy, domain);
    if ((occupancy->threads[fullest] && is_needed(policy, occupancy, best)) ||
        work_of(policy, occupancy, best, 1) * rate_of(policy, fullest) <
            work * rate_of(policy, best))
        return best;
    return NOWHERE;
}

void repair(struct policy *policy, struct domain *domain, struct plan *plan)
{
    const int index = (int)(domain - policy->domains);

    for (;;) {
        struct occupancy occupancy = {0};
        occupancy_count(policy, index, &occupancy);
        const int fullest = fullest_processor(policy, domain, &occupancy);
        const int relief = fullest == NOWHERE ? NOWHERE
                                              : relief_of(policy, index, &occupancy, fullest);
        if (relief == NOWHERE)
            return;
        plan_move(policy, plan, repair_candidate(policy, fullest), relief, SCOPE_PROCESSOR);
    }
}
