/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in, plan out: bookkeeping that all kinds share. */
#include "libjuggle/policy/state.h"

/* A failed move is tried again after STUCK_PERIODS: a mask or a cpuset may have changed. A failed
 * first placement is tried sooner: mostly the thread had bound itself for a moment. */
enum { STUCK_PERIODS = 32, UNPLACED_PERIODS = 4 };

/* ---- events ---- */

static bool thread_known(const struct policy *policy, int thread)
{
    return thread >= 0 && thread < policy->threads_limit && policy->threads[thread].present;
}

static void on_arrival(struct policy *policy, const struct event *event, struct plan *plan)
{
    const int index = event->subject;

    if (index < 0 || index >= policy->options.threads_max || thread_known(policy, index))
        return;
    while (policy->threads_limit <= index)
        policy->threads[policy->threads_limit++].present = false;
    policy->threads[index] = (struct thread){
        .present = true,
        .processor = NOWHERE,
        .previous = NOWHERE,
        .next = NOWHERE,
        .hint = event->domain,
    };
    account_arrival(&policy->threads[index], event);
    policy->threads_count++;
    if (policy->started)
        place_arrival(policy, index, plan);
}

static void on_exit(struct policy *policy, int index, struct plan *plan)
{
    const int processor = policy->threads[index].processor;

    policy->threads[index].present = false;
    policy->threads_count--;
    if (processor == NOWHERE)
        return;
    thread_detach(policy, index);
    repair(policy, &policy->domains[policy->processors[processor].domain], plan);
}

static void on_start(struct policy *policy, const struct event *event, struct plan *plan)
{
    if (policy->started)
        return;
    distribute(policy, plan);
    policy->started = true;
    plan->next_ns = event->now_ns + policy->domains[0].period_ns;
    for (int i = 0; i < policy->machine.domains_count; i++)
        policy->domains[i].next_ns = plan->next_ns;
}

/* The next period starts lambda after this one should have begun, so that delays do not add up; if
 * that time has passed already, lambda after now. */
static int64_t schedule_next(struct policy *policy, struct domain *domain, int64_t now_ns)
{
    const int64_t period_ns = policy_period_ahead(policy, (int)(domain - policy->domains));
    const int64_t base_ns = domain->next_ns > now_ns ? now_ns : domain->next_ns;

    domain->next_ns = base_ns + period_ns;
    if (domain->next_ns <= now_ns)
        domain->next_ns = now_ns + period_ns;
    domain->stretch = policy_draw_stretch(policy, domain);
    return domain->next_ns;
}

/* Repeats moves that failed: first placements, because the thread may have bound itself for a
 * moment, as hwloc does; and moves away from processors that are lost. */
static void retry(struct policy *policy, struct domain *domain, struct plan *plan)
{
    FOR_EACH_THREAD_OF(policy, domain, thread)
        if (thread->unplaced && !thread->stuck)
            plan_move(policy, plan, thread_index(policy, thread), thread->processor, thread->scope);
    FOR_EACH_PROCESSOR_OF(domain, index) {
        const struct processor_state *processor = &policy->processors[index];
        if (!processor->online && processor->head != NOWHERE &&
            !policy->threads[processor->head].stuck)
            evacuate(policy, index, plan);
    }
}

static void on_period(struct policy *policy, const struct event *event, struct plan *plan)
{
    struct domain *domain = &policy->domains[event->domain];

    domain->least_ns = LEAST_UNKNOWN;
    account_period(policy, domain, event);
    /* Without an online processor no thread can be placed or moved. */
    if (domain->online_count) {
        retry(policy, domain, plan);
        if (policy_ops_of(policy)->decide)
            policy_ops_of(policy)->decide(policy, domain, event->now_ns, plan);
    }
    plan->next_ns = schedule_next(policy, domain, event->now_ns);
    domain->choice.turns_count[domain->reason]++;
    domain->choice.time_ns[domain->reason] += plan->next_ns - event->now_ns;
}

/* Moves threads away from all lost processors, because earlier some could not be moved, or there
 * was no processor left. */
static void evacuate_all(struct policy *policy, struct plan *plan)
{
    for (int i = 0; i < policy->machine.processors_count; i++)
        if (!policy->processors[i].online)
            evacuate(policy, i, plan);
}

static void on_lost(struct policy *policy, int index, struct plan *plan)
{
    struct processor_state *processor = &policy->processors[index];

    if (!processor->online)
        return;
    processor->online = false;
    policy->domains[processor->domain].online_count--;
    evacuate_all(policy, plan);
}

static void on_found(struct policy *policy, int index, struct plan *plan)
{
    struct processor_state *processor = &policy->processors[index];
    struct domain *domain = &policy->domains[processor->domain];

    if (processor->online)
        return;
    processor->online = true;
    domain->online_count++;
    evacuate_all(policy, plan);
    /* Threads that arrived while no processor was online. */
    for (int thread = 0; policy->started && thread < policy->threads_limit; thread++)
        if (policy->threads[thread].present && policy->threads[thread].processor == NOWHERE)
            place_arrival(policy, thread, plan);
    repair(policy, domain, plan);
}

/*
 * Takes the thread back to where it was. The other thread of its exchange has moved, so counts may
 * be off by two. That is repaired in the next period: more failures of the same plan may be on
 * their way, and until they are known it is not known where all threads are.
 */
static void on_move_failed(struct policy *policy, int index)
{
    struct thread *thread = &policy->threads[index];

    thread->scope = thread->previous_scope;
    thread->unplaced = thread->previous == NOWHERE;
    thread->stuck = thread->unplaced ? UNPLACED_PERIODS : STUCK_PERIODS;
    if (thread->unplaced || thread->previous == thread->processor)
        return;
    thread_detach(policy, index);
    thread_attach(policy, index, thread->previous);
}

void policy_step(struct policy *policy, const struct event *event, struct plan *plan)
{
    const bool processor_known = event->subject >= 0 &&
                                 event->subject < policy->machine.processors_count;

    plan->moves_count = 0;
    plan->next_ns = INT64_MAX;
    switch (event->type) {
    case EVENT_THREAD_ARRIVED:
        on_arrival(policy, event, plan);
        break;
    case EVENT_THREAD_EXITED:
        if (thread_known(policy, event->subject))
            on_exit(policy, event->subject, plan);
        break;
    case EVENT_START:
        on_start(policy, event, plan);
        break;
    case EVENT_PERIOD:
        if (policy->started && event->domain >= 0 && event->domain < policy->machine.domains_count)
            on_period(policy, event, plan);
        break;
    case EVENT_PROCESSOR_LOST:
        if (processor_known)
            on_lost(policy, event->subject, plan);
        break;
    case EVENT_PROCESSOR_FOUND:
        if (processor_known)
            on_found(policy, event->subject, plan);
        break;
    case EVENT_MOVE_FAILED:
        if (thread_known(policy, event->subject))
            on_move_failed(policy, event->subject);
        break;
    case EVENT_SPINNING:
        policy->spinning = (enum spinning)event->subject;
        break;
    case EVENT_SHORT_PHASES:
        policy->told_short = event->subject;
        break;
    case EVENT_TYPES_COUNT:
        break;
    }
    if (policy_ops_of(policy)->observes_only)
        plan->moves_count = 0;
}
