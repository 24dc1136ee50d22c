/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds between two events, for every kind: homes, lists and counts agree. */
#include "libjuggle/policy/state.h"

static bool thread_holds(const struct policy *policy, int index, int processor, struct fault *fault)
{
    const struct thread *thread = &policy->threads[index];

    return HOLDS(fault, thread->present) && HOLDS(fault, thread->processor == processor) &&
           HOLDS(fault, thread->scope == SCOPE_PROCESSOR || thread->scope == SCOPE_DOMAIN) &&
           HOLDS(fault, thread->state >= THREAD_RUNNING && thread->state <= THREAD_YIELDING) &&
           HOLDS(fault, thread->previous >= NOWHERE) &&
           HOLDS(fault, thread->previous < policy->machine.processors_count) &&
           HOLDS(fault, thread->stuck >= 0) && HOLDS(fault, thread->run_ns >= 0) &&
           HOLDS(fault, thread->elapsed_ns >= 0);
}

/* Lists ascend, so that a broken link ends the walk instead of making it endless. */
static bool list_holds(const struct policy *policy, int index, struct fault *fault)
{
    const struct processor_state *processor = &policy->processors[index];
    int count = 0, before = NOWHERE;

    for (int at = processor->head; at != NOWHERE; at = policy->threads[at].next) {
        if (!HOLDS(fault, at > before && at < policy->threads_limit) ||
            !thread_holds(policy, at, index, fault))
            return false;
        before = at;
        count++;
    }
    return HOLDS(fault, processor->threads_count == count);
}

static bool processor_holds(const struct policy *policy, int index, int domain, struct fault *fault)
{
    const struct processor_state *processor = &policy->processors[index];
    const struct juggle_processor *slots = &processor->juggle;

    return HOLDS(fault, processor->domain == domain) && HOLDS(fault, processor->speed >= 0) &&
           HOLDS(fault, processor->learned_rate >= 0) && HOLDS(fault, slots->capacity >= 0) &&
           HOLDS(fault, slots->duty.count >= 0) && HOLDS(fault, slots->duty.load_ns >= 0) &&
           HOLDS(fault, slots->duty.burning_count >= 0);
}

static bool phase_holds(const struct juggle_domain *phase, struct fault *fault)
{
    return HOLDS(fault, phase->length_ns >= 0) && HOLDS(fault, phase->work_ns >= 0) &&
           HOLDS(fault, phase->regular_count >= 0 && phase->regular_count <= PHASES_MEMORY) &&
           HOLDS(fault, phase->rest.short_count >= 0 && phase->rest.short_count <= SHORT_TURNS) &&
           HOLDS(fault, phase->rest.looks_left >= 0);
}

static bool experiment_holds(const struct juggle_experiment *experiment, struct fault *fault)
{
    return HOLDS(fault, experiment->stage <= STAGE_RESTING) &&
           HOLDS(fault, experiment->work_ns >= 0) && HOLDS(fault, experiment->turns_count >= 0) &&
           HOLDS(fault, experiment->sleeps_count >= 0) &&
           HOLDS(fault, experiment->yields_count >= 0) &&
           HOLDS(fault, experiment->between_ns >= 0) &&
           HOLDS(fault, experiment->between_ns <= EXPERIMENTS_APART_MAX_NS) &&
           HOLDS(fault, experiment->rest_ns >= 0) &&
           HOLDS(fault, experiment->rest_ns <= EXPERIMENTS_APART_MAX_NS);
}

static bool domain_holds(const struct policy *policy, int index, struct fault *fault)
{
    const struct domain *domain = &policy->domains[index];
    int threads_count = 0, online_count = 0;

    FOR_EACH_PROCESSOR_OF(domain, i) {
        if (!processor_holds(policy, i, index, fault))
            return false;
        threads_count += policy->processors[i].threads_count;
        online_count += policy->processors[i].online;
    }
    return HOLDS(fault, domain->threads_count == threads_count) &&
           HOLDS(fault, domain->online_count == online_count) &&
           HOLDS(fault, domain->period_ns > 0) && HOLDS(fault, domain->stretch > 0) &&
           HOLDS(fault, domain->turns >= 0) &&
           HOLDS(fault, domain->reason >= 0 && domain->reason < PERIOD_REASONS_COUNT) &&
           phase_holds(&domain->juggle, fault) &&
           experiment_holds(&domain->juggle.experiment, fault);
}

/* A thread that arrives while no processor is online has no home until one is. */
static bool is_any_online(const struct policy *policy)
{
    int count = 0;

    for (int i = 0; i < policy->machine.domains_count; i++)
        count += policy->domains[i].online_count;
    return count > 0;
}

static bool domain_lists_hold(const struct policy *policy, int index, struct fault *fault)
{
    FOR_EACH_PROCESSOR_OF(&policy->domains[index], i)
        if (!list_holds(policy, i, fault))
            return false;
    return true;
}

/* Before EVENT_START no thread has a home. */
static bool counts_hold(const struct policy *policy, struct fault *fault)
{
    int placed_count = 0;

    for (int i = 0; i < policy->machine.domains_count; i++)
        placed_count += policy->domains[i].threads_count;
    return HOLDS(fault, policy->threads_limit <= policy->options.threads_max) &&
           HOLDS(fault, policy->threads_count >= 0) &&
           HOLDS(fault, policy->threads_count <= policy->threads_limit) &&
           HOLDS(fault, placed_count == (policy->started ? policy->threads_count : 0) ||
                            !is_any_online(policy));
}

/* Checks a thread that has a home, and its link to the next one. */
static bool link_holds(const struct policy *policy, int index, struct fault *fault)
{
    const struct thread *thread = &policy->threads[index];
    const int next = thread->next;

    if (!HOLDS(fault, thread->processor < policy->machine.processors_count) ||
        !thread_holds(policy, index, thread->processor, fault))
        return false;
    if (next == NOWHERE)
        return true;
    return HOLDS(fault, next > index && next < policy->threads_limit) &&
           HOLDS(fault, policy->threads[next].present) &&
           HOLDS(fault, policy->threads[next].processor == thread->processor);
}

/* Checks the thread that the event was about, and those that the plan moves. */
static bool touched_hold(const struct policy *policy, const struct event *event,
                         const struct plan *plan, struct fault *fault)
{
    const int subject = event->subject;

    if (subject >= 0 && subject < policy->threads_limit && policy->threads[subject].present &&
        policy->threads[subject].processor != NOWHERE && !link_holds(policy, subject, fault))
        return false;
    for (int i = 0; i < plan->moves_count; i++)
        if (!HOLDS(fault,
                   plan->moves[i].thread >= 0 && plan->moves[i].thread < policy->threads_limit) ||
            !link_holds(policy, plan->moves[i].thread, fault))
            return false;
    return true;
}

/* True for events that come once for each of thousands of threads: to walk a list for each would
 * take too long. */
static bool is_of_one_thread(const struct event *event)
{
    return event->type == EVENT_THREAD_ARRIVED || event->type == EVENT_THREAD_EXITED ||
           event->type == EVENT_MOVE_FAILED;
}

bool policy_check(const struct policy *policy, const struct event *event, const struct plan *plan,
                  struct fault *fault)
{
    const bool one_thread = is_of_one_thread(event);

    if (event->type == EVENT_PERIOD)
        return !policy->started || event->domain < 0 ||
               event->domain >= policy->machine.domains_count ||
               (domain_lists_hold(policy, event->domain, fault) &&
                domain_holds(policy, event->domain, fault));
    for (int i = 0; i < policy->machine.domains_count; i++)
        if ((!one_thread && !domain_lists_hold(policy, i, fault)) ||
            !domain_holds(policy, i, fault))
            return false;
    return counts_hold(policy, fault) && (!one_thread || touched_hold(policy, event, plan, fault));
}
