/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of each processor, and the moves of a plan. */
#include "libjuggle/policy/state.h"

/* ---- lists of threads ---- */

static bool is_on(const struct policy *policy, int index, int processor)
{
    const struct thread *thread = &policy->threads[index];

    return thread->present && thread_home(thread) == processor;
}

/*
 * Returns the link that leads to the thread, or is to lead to it: that of the last thread before
 * it. With thousands of threads the list is long, but the thread before it has an index near by;
 * with few threads the list is short. So the search goes both ways at once.
 */
static int *link_to(struct policy *policy, int thread, int processor)
{
    int *link = &policy->processors[processor].head;

    for (int before = thread - 1; *link != NOWHERE && *link < thread; before--) {
        if (is_on(policy, before, processor))
            return &policy->threads[before].next;
        link = &policy->threads[*link].next;
    }
    return link;
}

void thread_detach(struct policy *policy, int thread)
{
    struct processor_state *processor = &policy->processors[policy->threads[thread].processor];
    struct domain *domain = &policy->domains[processor->domain];
    int *link = link_to(policy, thread, policy->threads[thread].processor);

    *link = policy->threads[thread].next;
    processor->threads_count--;
    domain->threads_count--;
    if (policy->threads[thread].juggle.standing_ns == domain->least_ns)
        domain->least_ns = LEAST_UNKNOWN;
}

static int64_t least_ns(const struct policy *policy, struct domain *domain)
{
    if (domain->least_ns == LEAST_UNKNOWN) {
        domain->least_ns = INT64_MAX;
        FOR_EACH_THREAD_OF(policy, domain, thread)
            domain->least_ns = min_i64(domain->least_ns, thread->juggle.standing_ns);
    }
    return domain->least_ns;
}

/* A thread that arrives later, or from another domain, begins with the least standing of the
 * domain's threads, because standings in two domains cannot be compared. */
static void join(const struct policy *policy, struct domain *domain, struct thread *thread)
{
    const int from = thread->processor;

    if (!policy->started ||
        (from != NOWHERE && &policy->domains[policy->processors[from].domain] == domain))
        return;
    thread->juggle.standing_ns = domain->threads_count ? least_ns(policy, domain) : 0;
    thread->fit.blurred = true; /* the accounts of the others began earlier */
}

void thread_attach(struct policy *policy, int thread, int processor)
{
    struct processor_state *home = &policy->processors[processor];
    struct domain *domain = &policy->domains[home->domain];
    int *link = link_to(policy, thread, processor);

    join(policy, domain, &policy->threads[thread]);
    policy->threads[thread].next = *link;
    __atomic_store_n(&policy->threads[thread].processor, processor, __ATOMIC_RELAXED);
    *link = thread;
    home->threads_count++;
    domain->threads_count++;
    domain->least_ns = min_i64(domain->least_ns, policy->threads[thread].juggle.standing_ns);
}

/* ---- moves ---- */

/* Returns the move that the plan holds for the thread already, or a new one. */
static struct move *plan_entry(struct thread *thread, int index, struct plan *plan)
{
    if (thread->move_index < plan->moves_count && plan->moves[thread->move_index].thread == index)
        return &plan->moves[thread->move_index];

    struct move *move = &plan->moves[plan->moves_count];
    thread->move_index = plan->moves_count++;
    thread->previous = thread->unplaced ? NOWHERE : thread->processor;
    thread->previous_scope = thread->scope;
    thread->unplaced = false;
    *move = (struct move){.thread = index, .from = thread->previous};
    return move;
}

void plan_move(struct policy *policy, struct plan *plan, int index, int processor,
               enum move_scope scope)
{
    struct thread *thread = &policy->threads[index];

    if (thread->processor == processor && thread->scope == scope && !thread->unplaced)
        return;

    struct move *move = plan_entry(thread, index, plan);
    move->to = processor;
    move->scope = scope;
    thread->scope = scope;
    if (thread->processor == processor)
        return;
    thread->awaits_first_run = true;
    if (thread->processor != NOWHERE)
        thread_detach(policy, index);
    thread_attach(policy, index, processor);
}
