/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/policy/occupancy.h"

#include "libjuggle/policy/slots.h"

#include <string.h>

/* ---- the order of processors ---- */

/* Orders processors: one hardware thread of each core first, so that a first distribution fills
 * cores before siblings; among these the faster ones first. */
void distribution_order(struct policy *policy)
{
    const int count = policy->machine.processors_count;
    struct sort_item *items = policy->domains[0].order;

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

/* The usual factor of a rate while a sibling is busy, if it is neither known nor learned. */
#define SMT_RATE_USUAL (RATE_ONE * 6 / 10)

int64_t occupancy_rate(const struct policy *policy, int processor)
{
    return policy->by_speed ? machine_rate(&policy->machine, processor) : RATE_ONE;
}

void occupancy_count(const struct policy *policy, int domain, struct occupancy *occupancy)
{
    FOR_EACH_PROCESSOR_OF(&policy->domains[domain], index) {
        const struct processor_state *processor = &policy->processors[index];
        occupancy->threads[index] = processor->threads_count;
        occupancy->held[domain] += processor->threads_count;
        occupancy->power[domain] += processor->online ? occupancy_rate(policy, index) : 0;
    }
}

void occupancy_now(const struct policy *policy, struct occupancy *occupancy)
{
    memset(occupancy, 0, sizeof(*occupancy));
    for (int domain = 0; domain < policy->machine.domains_count; domain++)
        occupancy_count(policy, domain, occupancy);
}

static int64_t smt_rate(const struct policy *policy, int processor)
{
    const struct domain *domain = &policy->domains[policy->processors[processor].domain];

    return policy->machine.smt_rate || domain->learning.smt_rate ? slots_smt_rate(policy, processor)
                                                                 : SMT_RATE_USUAL;
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

/* Twice the number of threads. A single thread takes longer beside a busy sibling than on an idle
 * core. */
static int64_t work_by_count(const struct policy *policy, int64_t here, int64_t there, int64_t smt)
{
    const bool beside = here == 1 && there && smt < RATE_ONE;

    return 2 * here + (beside && policy->options.kind == POLICY_JUGGLE);
}

int64_t occupancy_work(const struct policy *policy, const struct occupancy *occupancy,
                       int processor, int more)
{
    const int64_t smt = smt_rate(policy, processor);
    const int64_t here = occupancy->threads[processor] + more;
    const int64_t there = busiest_sibling(policy, occupancy, processor);

    if (!policy->by_speed)
        return work_by_count(policy, here, there, smt);
    const int64_t both = min_i64(here, there);
    return both * RATE_ONE + (max_i64(here, there) - both) * smt;
}

bool occupancy_needs(const struct policy *policy, const struct occupancy *occupancy, int processor)
{
    return policy->options.kind != POLICY_STATIC && !occupancy->threads[processor];
}

/* True if one more thread would be done sooner on `left` than on `right`; of equals, if the domain
 * of `left` is emptier. */
static bool is_emptier(const struct policy *policy, const struct occupancy *occupancy, int left,
                       int right)
{
    const int64_t left_work = occupancy_work(policy, occupancy, left, 1) *
                              occupancy_rate(policy, right);
    const int64_t right_work = occupancy_work(policy, occupancy, right, 1) *
                               occupancy_rate(policy, left);
    const int left_domain = policy->processors[left].domain;
    const int right_domain = policy->processors[right].domain;

    if (occupancy_needs(policy, occupancy, left) != occupancy_needs(policy, occupancy, right))
        return occupancy_needs(policy, occupancy, left);
    if (left_work != right_work)
        return left_work < right_work;
    return (occupancy->held[left_domain] + 1) * occupancy->power[right_domain] <
           (occupancy->held[right_domain] + 1) * occupancy->power[left_domain];
}

int occupancy_emptiest(const struct policy *policy, const struct occupancy *occupancy, int domain)
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

int occupancy_fullest(const struct policy *policy, const struct domain *domain,
                      const struct occupancy *occupancy, int least)
{
    int fullest = NOWHERE;

    FOR_EACH_PROCESSOR_OF(domain, index) {
        if (!policy->processors[index].online || occupancy->threads[index] < least)
            continue;
        if (fullest == NOWHERE ||
            occupancy_work(policy, occupancy, index, 0) * occupancy_rate(policy, fullest) >
                occupancy_work(policy, occupancy, fullest, 0) * occupancy_rate(policy, index))
            fullest = index;
    }
    return fullest;
}
