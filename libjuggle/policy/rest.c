/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two kinds of programs gain nothing from turns, and are found without an experiment. If no thread
 * waits for a processor, there is nothing to share out; a look now and then shows when that
 * changes. If phases are too short for turns to follow, pinned threads only keep the kernel from
 * moving threads to idle processors: the domain rests for a while, and then tries turns again.
 */
#include "libjuggle/policy/rest.h"

#include "libjuggle/policy/phase.h"
#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/prospect.h"
#include "libjuggle/policy/slots.h"
#include "libjuggle/policy/experiment.h"

#include <math.h>

/* A rest because of short phases lasts this many looks. */
enum { SHORT_LOOKS = 24 };

/* ---- no thread waits ---- */

static double longest_wait_share(const struct policy *policy, const struct domain *domain)
{
    double share = 0;

    FOR_EACH_THREAD_OF(policy, domain, thread)
        if (thread->elapsed_ns > 0)
            share = fmax(share, (double)thread->wait_ns / (double)thread->elapsed_ns);
    return share;
}

static int64_t longest_period_ns(const struct policy *policy, const struct domain *domain)
{
    int64_t elapsed_ns = 0;

    FOR_EACH_THREAD_OF(policy, domain, thread)
        elapsed_ns = max_i64(elapsed_ns, thread->elapsed_ns);
    return elapsed_ns;
}

/*
 * True if no thread waits for more than one part in WAITS_PARTS of the time.
 * Judges by the mean over LOOK_NS, because a single period says little: interrupts and daemons make
 * a thread wait now and then, and threads that all sleep at a barrier do not wait for a processor
 * either.
 */
static bool nobody_waits(const struct policy *policy, struct domain *domain)
{
    struct juggle_rest *rest = &domain->juggle.rest;
    const int64_t elapsed_ns = longest_period_ns(policy, domain);
    const double share = longest_wait_share(policy, domain);

    rest->mean_of_ns = min_i64(rest->mean_of_ns + elapsed_ns, LOOK_NS);
    if (elapsed_ns > 0)
        rest->wait_share += (share - rest->wait_share) *
                            fmin((double)elapsed_ns / (double)rest->mean_of_ns, 1);
    return WAITS_PARTS * rest->wait_share <= 1;
}

/*
 * True if threads are to stay pinned without turns: no two share a processor, and some spin
 * at barriers. Barrier waits then show nowhere, so run times do not tell which thread is behind,
 * and a turn only costs a thread its place in a run queue among threads of other programs. Threads
 * stay pinned unless they have been seen to do more work with open masks (does_more_open), because
 * the kernel may put two that spin onto one processor.
 */
static bool is_spun(const struct policy *policy, const struct domain *domain)
{
    return policy->spinning == SPINNING_SEEN && domain_crowd(policy, domain) <= 1;
}

static bool does_more_open(const struct policy *policy, const struct domain *domain)
{
    return policy->spinning == SPINNING_OPEN && domain_crowd(policy, domain) <= 1;
}

/* ---- short phases ---- */

static bool waited_throughout(const struct thread *thread)
{
    const struct sample *sample = &thread->last;

    return sample->told_since_ns && sample->told_since_ns <= sample->now_ns - thread->elapsed_ns;
}

static bool ran(const struct thread *thread)
{
    return thread->run_ns > 0 || thread->slices_count > 0;
}

/* True if most threads that ran did so for less than MOMENT_NS at a time, and threads slept for
 * more than one part in GAP_PARTS of the time. Beside other programs short phases look long,
 * because a thread that queues behind threads of these does so for whole time slices. But threads
 * that sleep, and run for a moment each time, show how short the phases are. Threads that reported
 * a barrier wait throughout the period are left out. */
static bool most_run_for_moments(const struct policy *policy, const struct domain *domain)
{
    int ran_count = 0, moments_count = 0;
    int64_t elapsed_ns = 0, slept_ns = 0;

    FOR_EACH_THREAD_OF(policy, domain, thread) {
        if (waited_throughout(thread))
            continue;
        elapsed_ns += thread->elapsed_ns;
        slept_ns += thread->elapsed_ns - thread->run_ns - thread->wait_ns;
        ran_count += ran(thread);
        moments_count += thread->run_ns / MOMENT_NS < thread->slices_count;
    }
    return 2 * moments_count > ran_count && slept_ns > elapsed_ns / GAP_PARTS;
}

static bool some_ran(const struct policy *policy, const struct domain *domain)
{
    FOR_EACH_THREAD_OF(policy, domain, thread)
        if (ran(thread))
            return true;
    return false;
}

/* True if phases are over before a second turn. If three or more threads share a processor, samples
 * within one time slice show nothing, so phases of less than two slices are short, too. */
static bool length_is_short(const struct policy *policy, const struct domain *domain)
{
    return domain->juggle.length_ns &&
           domain->juggle.length_ns <
               (domain_crowd(policy, domain) > 2 ? 2 * SLICE_NS : SHORT_PHASE_NS);
}

/* True if the program says that its phases are too short, or if SHORT_TURNS turns in a row have
 * shown it, and then for SHORT_LOOKS looks. Looks do not show phases, but how long threads run at a
 * time: a rest that began because threads ran for moments ends when they run for longer. */
static bool too_short(const struct policy *policy, struct domain *domain)
{
    struct juggle_rest *rest = &domain->juggle.rest;
    const bool moments = most_run_for_moments(policy, domain);
    const bool some = some_ran(policy, domain);

    if (policy->told_short)
        return true;
    if (rest->looks_left > 0) {
        rest->looks_left = rest->moments && some && !moments ? 0 : rest->looks_left - 1;
        if (rest->looks_left > 0)
            return true;
        phase_forget(&domain->juggle);
        rest->short_count = 0;
    }
    if (moments || length_is_short(policy, domain))
        rest->short_count++;
    else if (some)
        rest->short_count = 0;
    if (rest->short_count < SHORT_TURNS)
        return false;
    rest->looks_left = SHORT_LOOKS;
    rest->moments = moments;
    return true;
}

/* ---- */

static enum period_reason plain_reason(const struct policy *policy, struct domain *domain,
                                       int64_t now_ns)
{
    if (slots_processors_alike(policy, domain) && nobody_waits(policy, domain) &&
        !learning_wants_phases(policy, domain, now_ns))
        return PERIOD_RESTING;
    if (does_more_open(policy, domain))
        return PERIOD_RESTING;
    if (is_spun(policy, domain))
        return PERIOD_SPUN;
    if (too_short(policy, domain))
        return PERIOD_SHORT;
    return domain->juggle.length_ns ? PERIOD_LEARNED : PERIOD_BLIND;
}

enum period_reason rest_reason(const struct policy *policy, struct domain *domain, int64_t now_ns)
{
    const enum period_reason reason = plain_reason(policy, domain, now_ns);

    if (reason == PERIOD_LEARNED || reason == PERIOD_BLIND)
        return experiment_rests(policy, domain, now_ns) ? PERIOD_RESTING : reason;
    experiment_pause(domain);
    return reason;
}

int64_t rest_period(const struct domain *domain)
{
    const struct juggle_domain *juggle = &domain->juggle;

    if (juggle->experiment.began_ns && juggle->experiment.stage == STAGE_OPEN)
        return 2 * (int64_t)BLIND_NS;
    /* The kernel may put two threads that spin onto one processor, where they stay until the next
     * look moves one home. */
    return domain->reason == PERIOD_SPUN ? 2 * SLICE_NS : LOOK_NS;
}

void rest_begin(struct policy *policy, struct domain *domain, struct plan *plan)
{
    domain->juggle.rest.open = true;
    FOR_EACH_THREAD_OF(policy, domain, thread)
        plan_move(policy, plan, thread_index(policy, thread), thread->processor, SCOPE_DOMAIN);
}

void rest_end(struct policy *policy, struct domain *domain, struct plan *plan)
{
    if (!domain->juggle.rest.open)
        return;
    domain->juggle.rest.open = false;
    for (int index = 0; index < policy->threads_limit; index++) {
        const struct thread *thread = &policy->threads[index];
        const int home = thread_home(thread);
        if (thread->present && home >= domain->first && home < domain->first + domain->count &&
            thread->scope == SCOPE_DOMAIN)
            plan_move(policy, plan, index, slots_place(policy, domain, thread), SCOPE_PROCESSOR);
    }
    repair(policy, domain, plan);
}
