/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two kinds of programs gain nothing from turns. Where nobody waits for a processor there is
 * nothing to share out; a look now and then shows when that changes. Where phases are shorter than
 * turns can follow, pins keep the kernel from pulling threads to processors that run dry: what a
 * look after a long time tells of phases is nothing, so they are probed from time to time, a few
 * looks close together with the masks left open, and ever less often while that is in vain.
 */
#include "libjuggle/policy/rest.h"

#include "libjuggle/policy/length.h"
#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/prospect.h"
#include "libjuggle/policy/slots.h"
#include "libjuggle/policy/experiment.h"

enum {
    PROBE_TURNS = 8,
    LOOKS_MIN = 8, /* between two probes */
    LOOKS_MAX = 64,
};

/* ---- nobody shares ---- */

/* No processor holds two threads, or one beside other programs. */
static bool nobody_shares(const struct policy *policy, const struct domain *domain)
{
    FOR_EACH_PROCESSOR_OF(domain, index) {
        const struct processor_state *processor = &policy->processors[index];
        if (processor->online && (processor->threads_count > 1 ||
                                  (processor->juggle.running_count &&
                                   processor->juggle.capacity < RATE_ONE - DISTURBED_MAX)))
            return false;
    }
    return true;
}

/* ---- short phases ---- */

/* Phases are over before a second turn. Where three or more share a processor nothing can be told
 * within a slice. */
static bool is_short(const struct policy *policy, const struct domain *domain)
{
    int most_count = 0;

    FOR_EACH_PROCESSOR_OF(domain, processor)
        most_count = policy->processors[processor].threads_count > most_count
                         ? policy->processors[processor].threads_count
                         : most_count;
    return domain->juggle.length_ns &&
           domain->juggle.length_ns < (most_count > 2 ? 2 * SLICE_NS : SHORT_PHASE_NS);
}

static void look_begin(struct juggle_rest *rest)
{
    rest->looks_count = rest->looks_count ? (int)min_i64(2 * rest->looks_count, LOOKS_MAX)
                                          : LOOKS_MIN;
    rest->looks_left = rest->looks_count;
}

static void probe_begin(struct domain *domain)
{
    length_forget(&domain->juggle);
    domain->juggle.rest.probes_left = PROBE_TURNS;
    domain->juggle.rest.short_count = 0;
}

/* At rest: true as long as nothing shows that phases have become longer. */
static bool still_too_short(const struct policy *policy, struct domain *domain)
{
    struct juggle_rest *rest = &domain->juggle.rest;

    if (rest->looks_left > 0) {
        if (--rest->looks_left == 0)
            probe_begin(domain);
        return true;
    }
    rest->short_count += is_short(policy, domain);
    if (--rest->probes_left > 0)
        return true;
    if (rest->short_count < PROBE_TURNS - 1)
        return false;
    look_begin(rest);
    return true;
}

static bool too_short(const struct policy *policy, struct domain *domain)
{
    struct juggle_rest *rest = &domain->juggle.rest;

    if (rest->looks_count)
        return still_too_short(policy, domain);
    rest->short_count = is_short(policy, domain) ? rest->short_count + 1 : 0;
    if (rest->short_count < SHORT_TURNS)
        return false;
    look_begin(rest);
    return true;
}

/* ---- */

static enum period_reason plain_reason(const struct policy *policy, struct domain *domain,
                                       int64_t now_ns)
{
    if (slots_alike(policy, domain) && nobody_shares(policy, domain) &&
        !learning_wants_phases(policy, domain, now_ns))
        return PERIOD_RESTING;
    if (too_short(policy, domain))
        return PERIOD_SHORT;
    domain->juggle.rest.looks_count = 0;
    return domain->juggle.length_ns ? PERIOD_LEARNED : PERIOD_BLIND;
}

enum period_reason rest_reason(const struct policy *policy, struct domain *domain, int64_t now_ns)
{
    const enum period_reason reason = plain_reason(policy, domain, now_ns);

    if (reason == PERIOD_LEARNED || reason == PERIOD_BLIND)
        return experiment_rests(policy, domain, now_ns) ? PERIOD_RESTING : reason;
    experiment_forget(domain);
    return reason;
}

int64_t rest_period(const struct domain *domain)
{
    const struct juggle_domain *juggle = &domain->juggle;

    if (juggle->experiment.began_ns && juggle->experiment.stage == STAGE_OPEN)
        return 2 * (int64_t)BLIND_NS;
    return juggle->rest.looks_count && !juggle->rest.looks_left ? (int64_t)INTERVAL_MIN_NS
                                                                : LOOK_NS;
}

void rest_begin(struct policy *policy, struct domain *domain, struct plan *plan)
{
    domain->juggle.rest.open = true;
    FOR_EACH_PROCESSOR_OF(domain, processor)
        FOR_EACH_THREAD_ON(policy, processor, slot)
            plan_move(policy, plan, slot, processor, SCOPE_DOMAIN);
}

void rest_end(struct policy *policy, struct domain *domain, struct plan *plan)
{
    if (!domain->juggle.rest.open)
        return;
    domain->juggle.rest.open = false;
    for (int slot = 0; slot < policy->slots_count; slot++) {
        const struct thread *thread = &policy->threads[slot];
        if (thread->present && thread->scope == SCOPE_DOMAIN &&
            thread->processor >= domain->first && thread->processor < domain->first + domain->count)
            plan_move(policy, plan, slot, slots_place(policy, domain, slot), SCOPE_PROCESSOR);
    }
    repair(policy, domain, plan);
}
