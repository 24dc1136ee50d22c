/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in, plan out: bookkeeping that all kinds share, and the table of what differs. */
#include "libjuggle/policy/policy.h"

#include "libjuggle/policy/state.h"

#include <errno.h>
#include <string.h>

/* A move that failed is tried again after so many periods: a mask or a cpuset may have changed. */
enum { STUCK_PERIODS = 32 };

/* static and none decide nothing, but are sampled now and then for the report. */
#define OBSERVE_PERIOD_NS (100 * NSEC_PER_MSEC)

static const struct policy_ops static_ops = {.name = "static"};
static const struct policy_ops none_ops = {.name = "none", .observes_only = true};

static const struct policy_ops *const policy_kinds[POLICY_KINDS_COUNT] = {
    [POLICY_JUGGLE] = &policy_juggle_ops,
    [POLICY_PAPER] = &policy_paper_ops,
    [POLICY_IDEAL] = &policy_ideal_ops,
    [POLICY_STATIC] = &static_ops,
    [POLICY_NONE] = &none_ops,
};

const char *policy_kind_name(enum policy_kind kind)
{
    return policy_kinds[kind]->name;
}

int policy_kind_parse(const char *name, enum policy_kind *kind)
{
    for (int i = 0; i < POLICY_KINDS_COUNT; i++) {
        if (!strcmp(policy_kinds[i]->name, name)) {
            *kind = (enum policy_kind)i;
            return 0;
        }
    }
    return -EINVAL;
}

static const struct policy_ops *ops_of(const struct policy *policy)
{
    return policy_kinds[policy->options.kind];
}

/* ---- memory ---- */

/* Hands out pieces of one block; with a NULL base it only measures. */
struct carver {
    char *base;
    size_t used;
};

static void *carve(struct carver *carver, size_t size)
{
    const size_t aligned = (size + 63) & ~(size_t)63;
    void *piece = carver->base ? carver->base + carver->used : NULL;

    carver->used += aligned;
    return piece;
}

static void carve_equations(struct carver *carver, struct fit_equations *equations,
                            int processors_count)
{
    const size_t size = processors_count <= FIT_PROCESSORS_MAX ? (size_t)processors_count + 1 : 0;

    equations->size = (int)size;
    equations->matrix = carve(carver, size * size * sizeof(*equations->matrix));
    equations->vector = carve(carver, size * sizeof(*equations->vector));
    equations->sum = carve(carver, size * sizeof(*equations->sum));
}

/* What begins as zeros. */
static void carve_zeros(struct carver *carver, struct policy *policy, const struct machine *machine)
{
    const size_t processors = (size_t)machine->processors_count;

    policy->processors = carve(carver, processors * sizeof(*policy->processors));
    policy->processor_order = carve(carver, processors * sizeof(*policy->processor_order));
    policy->siblings = carve(carver, processors * sizeof(*policy->siblings));
    for (int i = 0; i < machine->domains_count; i++) {
        struct domain *domain = &policy->domains[i];
        domain->slow = carve(carver, processors * sizeof(*domain->slow));
        domain->fast = carve(carver, processors * sizeof(*domain->fast));
        carve_equations(carver, &domain->fit.equations, machine_domain_count(machine, i));
    }
}

/* What is written before it is read. Most of the memory: pages that few threads never touch. */
static void carve_unwritten(struct carver *carver, struct policy *policy,
                            const struct machine *machine, int threads_max)
{
    const int64_t order_max = max_i64(threads_max, machine->processors_count);

    for (int i = 0; i < machine->domains_count; i++) {
        struct domain *domain = &policy->domains[i];
        domain->order = carve(carver, (size_t)order_max * sizeof(*domain->order));
        domain->others = carve(carver, (size_t)order_max * sizeof(*domain->others));
    }
    policy->threads = carve(carver, (size_t)threads_max * sizeof(*policy->threads));
}

int64_t policy_footprint(const struct machine *machine, const struct policy_options *options)
{
    struct carver carver = {0};
    struct policy measured;

    if (machine_check(machine) || options->threads_max < 1 ||
        options->threads_max > POLICY_THREADS_MAX ||
        (unsigned)options->kind >= POLICY_KINDS_COUNT || options->period_ns < 0 ||
        !(options->jitter >= 0 && options->jitter < 1))
        return -EINVAL;
    carve(&carver, sizeof(struct policy));
    carve_zeros(&carver, &measured, machine);
    carve_unwritten(&carver, &measured, machine, options->threads_max);
    return (int64_t)carver.used;
}

/* A period that follows the phases cannot fall into step with them: it needs no jitter. */
static bool period_is_learned(const struct policy *policy)
{
    return policy->options.kind == POLICY_JUGGLE && !policy->options.period_ns;
}

static double draw_stretch(const struct policy *policy, struct domain *domain)
{
    if (policy->options.jitter <= 0 || period_is_learned(policy))
        return 1;
    return 1 + (2 * prng_unit(&domain->prng) - 1) * policy->options.jitter;
}

static void domain_init(struct policy *policy, int index)
{
    struct domain *domain = &policy->domains[index];

    domain->first = machine_domain_first(&policy->machine, index);
    domain->count = machine_domain_count(&policy->machine, index);
    domain->online_count = domain->count;
    domain->next_ns = INT64_MAX;
    domain->period_ns = policy->options.period_ns;
    if (!ops_of(policy)->decide)
        domain->period_ns = OBSERVE_PERIOD_NS;
    else if (!domain->period_ns)
        domain->period_ns = PERIOD_DEFAULT_NS;
    prng_seed(&domain->prng, policy->options.seed + (uint64_t)index);
    domain->stretch = draw_stretch(policy, domain);
}

struct policy *policy_init(void *memory, const struct machine *machine,
                           const struct policy_options *options)
{
    struct carver carver = {.base = memory};
    struct policy *policy = carve(&carver, sizeof(*policy));
    const size_t head = carver.used;

    *policy = (struct policy){.machine = *machine, .options = *options};
    carve_zeros(&carver, policy, machine);
    memset((char *)memory + head, 0, carver.used - head);
    carve_unwritten(&carver, policy, machine, options->threads_max);
    distribution_order(policy);
    distribution_link_siblings(policy);
    for (int i = 0; i < machine->processors_count; i++)
        policy->processors[i] = (struct processor_state){
            .online = true, .domain = machine->processors[i].domain, .head = NOWHERE};
    for (int i = 0; i < machine->domains_count; i++)
        domain_init(policy, i);
    return policy;
}

/* ---- events ---- */

static bool thread_known(const struct policy *policy, int thread)
{
    return thread >= 0 && thread < policy->slots_count && policy->threads[thread].present;
}

static void on_arrival(struct policy *policy, const struct event *event, struct plan *plan)
{
    const int slot = event->subject;

    if (slot < 0 || slot >= policy->options.threads_max || thread_known(policy, slot))
        return;
    while (policy->slots_count <= slot)
        policy->threads[policy->slots_count++].present = false;
    policy->threads[slot] = (struct thread){
        .present = true,
        .processor = NOWHERE,
        .previous = NOWHERE,
        .next = NOWHERE,
        .hint = event->domain,
    };
    account_arrival(&policy->threads[slot], event);
    policy->threads_count++;
    if (!policy->started)
        return;
    if (ops_of(policy)->arrived)
        ops_of(policy)->arrived(policy, &policy->threads[slot]);
    place_arrival(policy, slot, plan);
}

static void on_exit(struct policy *policy, int slot, struct plan *plan)
{
    const int processor = policy->threads[slot].processor;

    policy->threads[slot].present = false;
    policy->threads_count--;
    if (processor == NOWHERE)
        return;
    thread_detach(policy, slot);
    repair(policy, &policy->domains[policy->processors[processor].domain], plan);
}

static void on_start(struct policy *policy, const struct event *event, struct plan *plan)
{
    if (policy->started)
        return;
    policy->started = true;
    distribute(policy, plan);
    plan->next_ns = event->now_ns + policy->domains[0].period_ns;
    for (int i = 0; i < policy->machine.domains_count; i++)
        policy->domains[i].next_ns = plan->next_ns;
}

/*
 * The next period starts lambda after this one should have begun, so that delays do not add up; a
 * balancer that comes too late for that starts afresh.
 */
static int64_t schedule_next(struct policy *policy, struct domain *domain, int64_t now_ns)
{
    const int64_t period_ns = policy_period_ahead(policy, (int)(domain - policy->domains));
    const int64_t base_ns = domain->next_ns > now_ns ? now_ns : domain->next_ns;

    domain->next_ns = base_ns + period_ns;
    if (domain->next_ns <= now_ns)
        domain->next_ns = now_ns + period_ns;
    domain->stretch = draw_stretch(policy, domain);
    return domain->next_ns;
}

/* First placements that failed: the thread may have bound itself for a moment, as hwloc does. */
static void retry_placements(struct policy *policy, struct domain *domain, struct plan *plan)
{
    FOR_EACH_PROCESSOR_OF(domain, processor)
        FOR_EACH_THREAD_ON(policy, processor, slot) {
            const struct thread *thread = &policy->threads[slot];
            if (thread->unplaced && !thread->stuck)
                plan_move(policy, plan, slot, processor, thread->scope);
        }
}

static void on_period(struct policy *policy, const struct event *event, struct plan *plan)
{
    struct domain *domain = &policy->domains[event->domain];

    account_period(policy, domain, event);
    retry_placements(policy, domain, plan);
    if (ops_of(policy)->decide)
        ops_of(policy)->decide(policy, domain, event->now_ns, plan);
    plan->next_ns = schedule_next(policy, domain, event->now_ns);
    domain->choice.turns_count[domain->reason]++;
    domain->choice.time_ns[domain->reason] += plan->next_ns - event->now_ns;
}

static void on_lost(struct policy *policy, int index, struct plan *plan)
{
    struct processor_state *processor = &policy->processors[index];

    if (!processor->online)
        return;
    processor->online = false;
    policy->domains[processor->domain].online_count--;
    evacuate(policy, index, plan);
}

static void on_found(struct policy *policy, int index, struct plan *plan)
{
    struct processor_state *processor = &policy->processors[index];
    struct domain *domain = &policy->domains[processor->domain];

    if (processor->online)
        return;
    processor->online = true;
    domain->online_count++;
    /* Those who had nowhere to go when their processor was lost. */
    for (int i = 0; i < policy->machine.processors_count; i++)
        if (!policy->processors[i].online)
            evacuate(policy, i, plan);
    repair(policy, domain, plan);
}

/*
 * The thread is where it was; its swap partner is not, so counts may be off by two. That is
 * repaired in the next period: more failures of the same plan may be on their way, and until they
 * are known nobody can say who is where.
 */
static void on_move_failed(struct policy *policy, int slot)
{
    struct thread *thread = &policy->threads[slot];

    thread->stuck = STUCK_PERIODS;
    thread->scope = thread->previous_scope;
    thread->unplaced = thread->previous == NOWHERE;
    if (thread->unplaced || thread->previous == thread->processor)
        return;
    thread_detach(policy, slot);
    thread_attach(policy, slot, thread->previous);
}

static void on_rate(struct policy *policy, int processor, int64_t rate)
{
    if (!rate_is_valid(rate))
        return;
    if (processor < 0)
        policy->machine.smt_rate = rate;
    else
        policy->machine.processors[processor].rate = rate;
    distribution_order(policy);
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
    case EVENT_RATE:
        if (processor_known || event->subject == -1)
            on_rate(policy, event->subject, event->rate);
        break;
    }
    if (ops_of(policy)->observes_only)
        plan->moves_count = 0;
}
