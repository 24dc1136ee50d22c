/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default policy. Every thread has a level: the work that it has left in this phase. At a
 * barrier all levels are equal, and a thread that waits there has none left, whatever its processor
 * time says (phase.c). Slots have rates: what a processor does, shared by the threads that it holds
 * (slots.c). From levels and rates follow the time until all threads are done if they are kept
 * abreast, the time if no thread is moved any more, and how long each may stay where it is
 * (prospect.c). A turn exchanges threads with high levels on slow slots for threads with low levels
 * on fast ones, and says when the next turn pays (turns.c). If no turn can pay, masks are open and
 * the kernel decides (rest.c).
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

/* Returns the shortest affordable period. A turn reads the counters of each thread, which must not
 * take more than a hundredth of a processor: the more threads share one, the less they have to
 * gain. */
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
    }
    if (!policy->options.period_ns)
        domain->period_ns = max_i64(affordable_ns(policy, domain),
                                    takes_turns(domain) ? turns_next_ns(policy, domain)
                                                        : rest_period(domain));
}

const struct policy_ops policy_juggle_ops = {.name = "juggle", .decide = decide};
