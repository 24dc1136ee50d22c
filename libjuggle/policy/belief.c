/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/policy/belief.h"

#include "libjuggle/policy/length.h"
#include "libjuggle/policy/slots.h"

#include <math.h>

/* Rates that change by less leave what was learned of phases valid. */
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
    const bool possible = domain->fit.equations.size > 0;
    struct fit_wish wish = {
        .speeds = possible,
        .beside = possible && !policy->machine.smt_rate && has_siblings(policy, domain),
    };

    FOR_EACH_PROCESSOR_OF(domain, processor)
        wish.speeds &= !policy->machine.processors[processor].rate;
    return wish;
}

/* ---- what is believed ---- */

static double slowest_log(const struct policy *policy, const struct domain *domain, double *fastest)
{
    double slowest = 0;
    bool any = false;

    FOR_EACH_PROCESSOR_OF(domain, index) {
        const struct fit_processor *processor = &policy->processors[index].fit;
        if (!processor->visited)
            continue;
        *fastest = any ? fmax(*fastest, processor->speed_log) : processor->speed_log;
        slowest = any ? fmin(slowest, processor->speed_log) : processor->speed_log;
        any = true;
    }
    return slowest;
}

bool belief_in_difference(const struct policy *policy, const struct domain *domain)
{
    double fastest = 0;
    const double slowest = slowest_log(policy, domain, &fastest);

    return fastest - slowest > KIND_SPAN || domain->fit.beside_log < -KIND_SPAN;
}

/* ---- what decisions go by ---- */

static int64_t rate_of_log(double speed_log)
{
    return clamp_i64(llround(exp(speed_log) * (double)RATE_ONE), RATE_MIN, RATE_ONE);
}

/* Fastest first. */
static int sort_processors(struct policy *policy, struct domain *domain)
{
    int count = 0;

    FOR_EACH_PROCESSOR_OF(domain, index) {
        const struct fit_processor *processor = &policy->processors[index].fit;
        if (processor->visited)
            domain->order[count++] = (struct sort_item){
                .key = -llround(processor->speed_log * (double)RATE_ONE), .index = index};
    }
    sort_items(domain->order, count);
    return count;
}

static bool differs(int64_t before, int64_t now)
{
    return fabs((double)(now - before)) > RATE_SPAN * (double)now;
}

/* Processors of a kind have its mean speed; speeds are relative to the fastest kind. True if one
 * has changed. */
static bool take_speeds(struct policy *policy, struct domain *domain)
{
    const int count = sort_processors(policy, domain);
    double fastest = 0;
    bool changed = false;

    for (int i = 0, next; i < count; i = next) {
        const double first = policy->processors[domain->order[i].index].fit.speed_log;
        double sum = 0;
        for (next = i; next < count; next++) {
            const double speed = policy->processors[domain->order[next].index].fit.speed_log;
            if (first - speed > KIND_SPAN)
                break;
            sum += speed;
        }
        const double mean = sum / (next - i);
        fastest = i ? fastest : mean;
        for (int j = i; j < next; j++) {
            int64_t *rate = &policy->processors[domain->order[j].index].learned_rate;
            changed |= differs(*rate ? *rate : RATE_ONE, rate_of_log(mean - fastest));
            *rate = rate_of_log(mean - fastest);
        }
    }
    return changed;
}

/* What is known of phases was counted in work at other rates. */
void belief_take(struct policy *policy, struct domain *domain)
{
    const struct fit_wish wish = belief_wish(policy, domain);
    bool changed = wish.speeds && take_speeds(policy, domain);

    if (wish.beside && domain->fit.beside_seen) {
        const int64_t rate = rate_of_log(domain->fit.beside_log);
        changed |= differs(slots_smt_rate(policy, domain->first), rate);
        domain->learning.smt_rate = rate;
    }
    if (changed)
        length_forget(&domain->juggle);
}
