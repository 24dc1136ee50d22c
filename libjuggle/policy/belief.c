/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/policy/belief.h"

#include "libjuggle/policy/phase.h"
#include "libjuggle/policy/slots.h"

#include <math.h>

/* If rates change by at most this share, what was learned of phases stays valid. */
#define RATE_SPAN 0.03

/* ---- what is asked for ---- */

static bool has_siblings(const struct policy *policy, const struct domain *domain)
{
    FOR_EACH_PROCESSOR_OF(domain, processor)
        if (policy->siblings[processor] != processor)
            return true;
    return false;
}

struct fit_wish belief_wish(const struct policy *policy, const struct domain *domain)
{
    struct fit_wish wish = {
        .speeds = true,
        .beside = !policy->machine.smt_rate && has_siblings(policy, domain),
    };

    FOR_EACH_PROCESSOR_OF(domain, processor)
        wish.speeds &= !policy->machine.processors[processor].rate;
    return wish;
}

/* ---- what is believed ---- */

/* Returns the mean logarithm of the visited processors that are within KIND_SPAN of the fastest
 * one. */
static double mean_log(const struct policy *policy, const struct domain *domain, double fastest)
{
    double sum = 0;
    int count = 0;

    FOR_EACH_PROCESSOR_OF(domain, index) {
        const struct fit_processor *processor = &policy->processors[index].fit;
        if (!processor->visited || processor->speed_log < fastest - KIND_SPAN)
            continue;
        sum += processor->speed_log;
        count++;
    }
    return count ? sum / count : 0;
}

/* Returns the mean logarithm of the speeds of the fastest kind. */
static double usual_log(const struct policy *policy, const struct domain *domain)
{
    double fastest = -INFINITY;

    FOR_EACH_PROCESSOR_OF(domain, index)
        if (policy->processors[index].fit.visited)
            fastest = fmax(fastest, policy->processors[index].fit.speed_log);
    return mean_log(policy, domain, fastest);
}

static bool is_slow(const struct fit_processor *processor, double usual)
{
    return processor->visited && processor->speed_log < usual - KIND_SPAN;
}

bool belief_in_difference(const struct policy *policy, const struct domain *domain)
{
    const double usual = usual_log(policy, domain);

    FOR_EACH_PROCESSOR_OF(domain, index)
        if (is_slow(&policy->processors[index].fit, usual))
            return true;
    return domain->fit.beside_log < -KIND_SPAN;
}

/* ---- what decisions go by ---- */

static int64_t rate_of_log(double speed_log)
{
    return clamp_i64(llround(exp(speed_log) * (double)RATE_ONE), RATE_MIN, RATE_ONE);
}

static bool differs(int64_t before, int64_t now)
{
    return fabs((double)(now - before)) > RATE_SPAN * (double)now;
}

/* Takes over the fitted speeds, relative to the fastest kind. True if one has changed. */
static bool take_speeds(struct policy *policy, struct domain *domain)
{
    const double usual = usual_log(policy, domain);
    bool changed = false;

    FOR_EACH_PROCESSOR_OF(domain, index) {
        struct processor_state *processor = &policy->processors[index];
        if (!processor->fit.visited)
            continue;
        const int64_t rate = is_slow(&processor->fit, usual)
                                 ? rate_of_log(processor->fit.speed_log - usual)
                                 : RATE_ONE;
        changed |= differs(slots_processor_rate(policy, index), rate);
        processor->learned_rate = rate;
    }
    return changed;
}

/* If rates have changed, forgets what is known of phases: it was counted in work at other rates. */
void belief_take(struct policy *policy, struct domain *domain)
{
    const struct fit_wish wish = belief_wish(policy, domain);
    bool changed = wish.speeds && take_speeds(policy, domain);

    if (wish.beside && domain->fit.beside_log < 0) {
        const int64_t rate = rate_of_log(domain->fit.beside_log);
        changed |= differs(slots_smt_rate(policy, domain->first), rate);
        domain->learning.smt_rate = rate;
    }
    if (changed)
        phase_forget(&domain->juggle);
}
