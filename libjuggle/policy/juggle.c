/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default policy. Every thread has a level: the work that it has left in this phase. At a
 * barrier all are equal, and who waits there has none left, whatever its processor time says
 * (phase.c). Slots have rates: what a processor does, shared by the threads that it holds
 * (slots.c). So it is known when all would be done if they were kept abreast, when if nobody moved
 * any more, and how long each may stay where it is (prospect.c). A turn exchanges threads with much
 * left on slow slots with those who have little left on fast ones, and says when the next one pays
 * (turns.c). Where none can pay masks are open and the kernel decides (rest.c).
 */
#include "libjuggle/policy/phase.h"
#include "libjuggle/policy/rest.h"
#include "libjuggle/policy/slots.h"
#include "libjuggle/policy/turns.h"

static bool is_open(const struct domain *domain)
{
    return domain->reason == PERIOD_RESTING || domain->reason == PERIOD_SHORT;
}

static bool takes_turns(const struct domain *domain)
{
    return !is_open(domain) && domain->reason != PERIOD_SPUN;
}

/* A turn reads the counters of each thread. Where many share a processor that must not take more
 * than a hundredth of it: they have the less to gain, the more they are. */
static int64_t affordable_ns(const struct policy *policy, const struct domain *domain)
{
    return (int64_t)(100 * SAMPLE_NS) * domain_crowd(policy, domain);
}

static void decide(struct policy *policy, struct domain *domain, int64_t now_ns, struct plan *plan)
{
    slots_observe(policy, domain);
    phase_observe(policy, domain, now_ns);
    learning_turn(policy, domain, now_ns);
    repair(policy, domain, plan);
    slots_update(policy, domain);
    if (!policy->options.period_ns)
        domain->reason = rest_reason(policy, domain, now_ns);
    if (is_open(domain)) {
        rest_begin(policy, domain, plan);
    } else {
        rest_end(policy, domain, plan);
        domain->choice.phase_ns = domain->juggle.length_ns ? domain->juggle.length_ns
                                                           : domain->choice.phase_ns;
    }
    if (takes_turns(domain)) {
        learning_exchange(policy, domain, now_ns, plan);
        turns_exchange(policy, domain, plan);
        domain->juggle.still_count = plan->moves_count ? 0 : domain->juggle.still_count + 1;
    }
    if (!policy->options.period_ns)
        domain->period_ns = max_i64(affordable_ns(policy, domain),
                                    takes_turns(domain) ? turns_next_ns(policy, domain)
                                                        : rest_period(domain));
}

const struct policy_ops policy_juggle_ops = {.name = "juggle", .decide = decide};
