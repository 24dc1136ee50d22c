/* SPDX-License-Identifier: BSD-3-Clause */
/* All memory of a policy is one block, which is made once. */
#include "libjuggle/policy/state.h"

#include <errno.h>
#include <string.h>

/* static and none decide nothing, but are sampled now and then for the report. */
#define OBSERVE_PERIOD_NS (100 * NSEC_PER_MSEC)

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

/* Sets the pointer if there is a base. Without one there is no policy either: it is too large for
 * the stack of a thread. */
#define CARVE(carver, pointer, count)                                        \
    do {                                                                     \
        void *piece = carve((carver), (size_t)(count) * sizeof(*(pointer))); \
        if (piece)                                                           \
            (pointer) = piece;                                               \
    } while (0)

/* Memory that begins as zeros. */
static void carve_zeros(struct carver *carver, struct policy *policy, const struct machine *machine)
{
    const int processors = machine->processors_count;

    /* cppcheck-suppress ctunullpointer; its size is taken, and nothing is read */
    CARVE(carver, policy->processors, processors);
    CARVE(carver, policy->processor_order, processors);
    CARVE(carver, policy->siblings, processors);
    for (int i = 0; i < machine->domains_count; i++) {
        CARVE(carver, policy->domains[i].slow, processors);
        CARVE(carver, policy->domains[i].fast, processors);
    }
}

/* Memory that is written before it is read. It is the largest part; with few threads most of its
 * pages are never touched. */
static void carve_unwritten(struct carver *carver, struct policy *policy,
                            const struct machine *machine, int threads_max)
{
    const int64_t order_max = max_i64(threads_max, machine->processors_count);

    for (int i = 0; i < machine->domains_count; i++) {
        CARVE(carver, policy->domains[i].order, order_max);
        CARVE(carver, policy->domains[i].others, order_max);
    }
    CARVE(carver, policy->threads, threads_max);
}

int64_t policy_footprint(const struct machine *machine, const struct policy_options *options)
{
    struct carver carver = {0};

    if (machine_check(machine) || options->threads_max < 1 ||
        options->threads_max > POLICY_THREADS_MAX ||
        (unsigned)options->kind >= POLICY_KINDS_COUNT || options->period_ns < 0 ||
        !(options->jitter >= 0 && options->jitter < 1))
        return -EINVAL;
    carve(&carver, sizeof(struct policy));
    carve_zeros(&carver, NULL, machine);
    carve_unwritten(&carver, NULL, machine, options->threads_max);
    return (int64_t)carver.used;
}

/* ---- a policy at its beginning ---- */

static void domain_init(struct policy *policy, int index)
{
    struct domain *domain = &policy->domains[index];

    domain->first = machine_domain_first(&policy->machine, index);
    domain->count = machine_domain_count(&policy->machine, index);
    domain->online_count = domain->count;
    domain->next_ns = INT64_MAX;
    domain->least_ns = LEAST_UNKNOWN;
    domain->period_ns = policy->options.period_ns;
    if (!policy_ops_of(policy)->decide)
        domain->period_ns = OBSERVE_PERIOD_NS;
    else if (!domain->period_ns)
        domain->period_ns = PERIOD_DEFAULT_NS;
    prng_seed(&domain->prng, policy->options.seed + (uint64_t)index);
    domain->stretch = policy_draw_stretch(policy, domain);
}

struct policy *policy_init(void *memory, const struct machine *machine,
                           const struct policy_options *options)
{
    struct carver carver = {.base = memory};
    struct policy *policy = carve(&carver, sizeof(*policy));
    const size_t head = carver.used;

    memset(policy, 0, sizeof(*policy));
    policy->machine = *machine;
    policy->options = *options;
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
