/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * If phases are alike, what turns gain follows from the levels. If they are not, as with the tasks
 * of a list, a tree of merges or the stages of a pipeline, threads need not gain from being kept
 * abreast. So now and then masks are open for a while, and the work that all threads do in a time
 * is compared with what they did before. If turns have not brought more, the domain rests, longer
 * each time; if they have, the next experiment comes later.
 *
 * A thread that spins or yields at a barrier seems to work there. So work is compared only if
 * threads sleep in their waits, or if samples show work and no barrier shows; otherwise turns go
 * on.
 */
#include "libjuggle/policy/experiment.h"

#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/phase.h"
#include "libjuggle/policy/slots.h"

static void stage_begin(struct juggle_experiment *experiment, enum experiment_stage stage,
                        int64_t now_ns)
{
    experiment->stage = stage;
    experiment->began_ns = now_ns;
    experiment->work_ns = 0;
    experiment->turns_count = experiment->sleeps_count = experiment->yields_count = 0;
}

static void account_work(const struct policy *policy, const struct domain *domain,
                         struct juggle_experiment *experiment)
{
    experiment->turns_count++;
    FOR_EACH_THREAD_OF(policy, domain, thread) {
        experiment->sleeps_count += thread->state == THREAD_BLOCKED;
        experiment->yields_count += thread->state == THREAD_YIELDING || slices_are_short(thread);
        experiment->work_ns += (double)slots_worked_ns(policy, thread);
    }
}

static double rate_of(const struct juggle_experiment *experiment, int64_t now_ns)
{
    return experiment->work_ns / (double)(now_ns - experiment->began_ns);
}

/* Returns how long turns are measured: a few phases at least, because the unused time lies at their
 * ends. */
static int64_t span_ns(const struct domain *domain)
{
    return max_i64(EXPERIMENT_NS, PHASES_MEMORY * domain->juggle.length_ns);
}

/* True if much of the processors is unused. Phases that are alike leave little unused if threads
 * are kept abreast. */
static bool uses_little(const struct policy *policy, const struct domain *domain, double rate)
{
    double power = 0;

    FOR_EACH_PROCESSOR_OF(domain, processor)
        if (policy->processors[processor].threads_count)
            power += (double)slots_power(policy, processor, true) / (double)RATE_ONE;
    return rate < power * USED_MIN;
}

/* True if threads yield rather than sleep. Threads that are woken all the time look as if they
 * yielded now and then, but sleep more often. */
static bool waits_are_yields(const struct juggle_experiment *experiment)
{
    return experiment->yields_count > experiment->sleeps_count;
}

/* True if a thread that runs works, as far as is known, and phases do not show. */
static bool work_is_known(const struct policy *policy, const struct domain *domain,
                          const struct juggle_experiment *experiment)
{
    const bool sleeps = SLEEPS_PARTS * experiment->sleeps_count >= experiment->turns_count;

    return policy->spinning != SPINNING_SEEN && !waits_are_yields(experiment) &&
           (sleeps || phase_is_long(policy, domain));
}

static bool begin_experiment(const struct policy *policy, const struct domain *domain,
                             struct juggle_experiment *experiment, int64_t now_ns)
{
    const double rate = rate_of(experiment, now_ns);
    const bool measured = work_is_known(policy, domain, experiment) &&
                          (!domain->juggle.regular_count || uses_little(policy, domain, rate));

    experiment->balanced_rate = rate;
    stage_begin(experiment, measured ? STAGE_OPEN : STAGE_BALANCED, now_ns);
    return measured;
}

/* Ends the experiment; early only if turns have plainly paid, because then open masks cost too much
 * to go on. True if masks stay open. */
static bool end_experiment(const struct domain *domain, struct juggle_experiment *experiment,
                           int64_t now_ns)
{
    const bool early = now_ns - experiment->began_ns < span_ns(domain) / 2;
    const double gain = early ? 5 * EXPERIMENT_GAIN_MIN : EXPERIMENT_GAIN_MIN;
    const bool pays = waits_are_yields(experiment) ||
                      experiment->balanced_rate > rate_of(experiment, now_ns) * (1 + gain);
    int64_t *delay_ns = pays ? &experiment->between_ns : &experiment->rest_ns;

    if (early && !pays)
        return true;
    *delay_ns = min_i64(4 * max_i64(*delay_ns, span_ns(domain)), EXPERIMENTS_APART_MAX_NS);
    *(pays ? &experiment->rest_ns : &experiment->between_ns) = 0;
    stage_begin(experiment, pays ? STAGE_BALANCED : STAGE_RESTING, now_ns);
    return !pays;
}

void experiment_pause(struct domain *domain)
{
    struct juggle_experiment *experiment = &domain->juggle.experiment;

    if (experiment->began_ns && experiment->stage != STAGE_RESTING)
        experiment->began_ns += domain->period_ns;
}

bool experiment_rests(const struct policy *policy, struct domain *domain, int64_t now_ns)
{
    struct juggle_experiment *experiment = &domain->juggle.experiment;
    const int64_t passed_ns = now_ns - experiment->began_ns;

    if (!experiment->began_ns) {
        stage_begin(experiment, STAGE_BALANCED, now_ns);
        return false;
    }
    account_work(policy, domain, experiment);
    switch (experiment->stage) {
    case STAGE_BALANCED:
        return passed_ns >= max_i64(span_ns(domain), experiment->between_ns) &&
               begin_experiment(policy, domain, experiment, now_ns);
    case STAGE_OPEN:
        return passed_ns < span_ns(domain) / 8 || end_experiment(domain, experiment, now_ns);
    case STAGE_RESTING:
        if (passed_ns < experiment->rest_ns)
            return true;
        stage_begin(experiment, STAGE_BALANCED, now_ns);
        return false;
    }
    return false;
}
