/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * If threads share processors they change places anyway, and fitted speeds are used when the better
 * explanation has shown (fit.c). If no thread waits for a processor the policy rests. Then threads
 * that wait for others at several looks in a row are the reason for a survey: turns are taken to
 * see phases, and the speeds that follow from them are used. That moves threads, so it shows
 * whether processors differ or threads do. After each survey in vain, and each time that its speeds
 * are refuted, the next one comes later.
 */
#include "libjuggle/policy/learning.h"

#include "libjuggle/policy/belief.h"
#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/slots.h"

#include <math.h>

/* An error of at most this is none (a logarithm: 4 %). */
#define ERROR_LEAST 0.04

/* Accept the unequal model if its mean square error is below 1/3 of the equal model's... */
#define ERROR_PARTS 3
/* ...and reject it if that is above 1/1.5. */
#define REFUTED_PARTS 1.5

/* A thread waits for the others if its share of time awake is lower than the highest one by more
 * than this. */
#define SUSPICIOUS (RATE_ONE / 10)

/* Two periods are alike if their work per run time differs by at most this share. */
#define PACE_SPAN 0.03

#define SURVEY_NS  (1 * NSEC_PER_SEC)
#define REPORTS_NS (30 * NSEC_PER_MSEC)

enum {
    SUSPICIONS_MIN = 2,
    WAITING_PARTS = 3, /* at least a third of the threads wait: fewer show no barrier */
    SURVEY_ACCOUNTS = 2,
    CONFIRMED_ACCOUNTS = 3,
    EXCHANGES_MAX = 8,
    LOOKS_MIN = 16,
    LOOKS_MAX = 1024,
};

static bool is_confirmed(const struct fit *fit)
{
    return fit->accounts_count >= CONFIRMED_ACCOUNTS &&
           fit->unequal_error < fit->alike_error / ERROR_PARTS;
}

static bool is_refuted(const struct fit *fit)
{
    return fit->unequal_error > ERROR_LEAST * ERROR_LEAST &&
           fit->unequal_error > fit->alike_error / REFUTED_PARTS;
}

static void give_up(struct policy *policy, struct domain *domain)
{
    struct learning *learning = &domain->learning;

    FOR_EACH_PROCESSOR_OF(domain, processor)
        policy->processors[processor].learned_rate = 0;
    learning->smt_rate = 0;
    learning->state = LEARNING_NOTHING;
    learning->suspicion_count = 0;
    learning->looks_count = (int)clamp_i64(2 * learning->looks_count, LOOKS_MIN, LOOKS_MAX);
    learning->looks_left = learning->looks_count;
}

static void believe(struct policy *policy, struct domain *domain)
{
    domain->learning.state = LEARNING_KNOWN;
    belief_take(policy, domain);
}

/* Called after an account: decides whether the fitted speeds are used. */
static void conclude(struct policy *policy, struct domain *domain)
{
    struct learning *learning = &domain->learning;
    const bool confirmed = is_confirmed(&domain->fit) && belief_in_difference(policy, domain);

    switch (learning->state) {
    case LEARNING_NOTHING:
        if (confirmed)
            believe(policy, domain);
        break;
    case LEARNING_SURVEY:
        if (--learning->accounts_left > 0)
            break;
        if (belief_in_difference(policy, domain))
            believe(policy, domain);
        else
            give_up(policy, domain);
        break;
    case LEARNING_KNOWN:
        if (confirmed)
            learning->looks_count = 0;
        if (is_refuted(&domain->fit))
            give_up(policy, domain);
        else
            belief_take(policy, domain);
        break;
    }
}

/* ---- evidence ---- */

/*
 * Adds the last period to the thread's account if it was all work. A period in which the thread
 * waited for others tells nothing of the processor, and if it burnt that wait it does not show. But
 * two periods in a row with the same work per run time were all work. Periods at rest are too long
 * for that.
 */
static void learn_report(struct policy *policy, struct domain *domain, struct thread *thread)
{
    struct fit_thread *fit = &thread->fit;
    const int place = domain->juggle.rest.open ? NOWHERE : thread->processor;
    const double pace = thread->run_ns > 0 ? (double)thread->work_ns / (double)thread->run_ns : 0;
    const bool steady = place != NOWHERE && place == fit->place && pace > 0 &&
                        fabs(pace - fit->pace) <= PACE_SPAN * pace;

    if (thread->reports != fit->reports) {
        stints_clear(&fit->stints);
        fit->done_ns = 0;
    }
    fit->reports = thread->reports;
    fit->place = place;
    fit->pace = pace;
    if (!fit->reports || !steady)
        return;
    stints_add(&fit->stints, place, (double)thread->run_ns,
               policy->processors[place].juggle.beside);
    fit->done_ns += (double)thread->work_ns;
}

void learning_run(struct policy *policy, struct domain *domain, struct thread *thread,
                  int64_t run_ns)
{
    if (thread->fit.reports)
        return;
    if (domain->juggle.rest.open)
        thread->fit.blurred = true; /* it is not known where it ran */
    else
        stints_add(&thread->fit.stints, thread->processor, (double)run_ns,
                   policy->processors[thread->processor].juggle.beside);
}

void learning_barrier(struct policy *policy, struct domain *domain)
{
    const struct fit_wish wish = belief_wish(policy, domain);

    if ((wish.speeds || wish.beside) && fit_account(policy, domain, &wish))
        conclude(policy, domain);
}

void learning_turn(struct policy *policy, struct domain *domain, int64_t now_ns)
{
    struct learning *learning = &domain->learning;
    struct fit_wish wish = belief_wish(policy, domain);

    if (learning->state == LEARNING_SURVEY && now_ns > learning->until_ns)
        give_up(policy, domain);
    if (!wish.speeds && !wish.beside)
        return;
    FOR_EACH_THREAD_OF(policy, domain, thread)
        learn_report(policy, domain, thread);
    if (now_ns - learning->accounted_ns < REPORTS_NS)
        return;
    learning->accounted_ns = now_ns;
    wish.reports_only = true;
    if (fit_account(policy, domain, &wish))
        conclude(policy, domain);
}

/* ---- exchanges for the sake of learning ---- */

static bool tells_pace(const struct policy *policy, const struct thread *thread)
{
    return thread->reports && thread->fit.place == thread->processor && thread->fit.pace > 0 &&
           is_alone(policy, thread) && !waits_for_others(thread) && !thread->stuck;
}

/* A thread that is alone on a processor believed to be as fast as any stays there, however far
 * behind it is, and nothing shows whether it has more work or the processor is slower. So two such
 * threads change places. */
void learning_exchange(struct policy *policy, struct domain *domain, int64_t now_ns,
                       struct plan *plan)
{
    struct learning *learning = &domain->learning;
    const struct thread *fast = NULL, *slow = NULL;

    if (learning->state != LEARNING_NOTHING || learning->accounted_ns != now_ns ||
        learning->exchanges_count == EXCHANGES_MAX || !belief_wish(policy, domain).speeds ||
        domain->fit.alike_error > ERROR_LEAST * ERROR_LEAST)
        return;
    FOR_EACH_THREAD_OF(policy, domain, thread) {
        if (!tells_pace(policy, thread))
            continue;
        fast = !fast || thread->fit.pace > fast->fit.pace ? thread : fast;
        slow = !slow || thread->fit.pace < slow->fit.pace ? thread : slow;
    }
    if (!slow || fast->fit.pace < exp(KIND_SPAN) * slow->fit.pace)
        return;
    const int place = slow->processor;
    learning->exchanges_count++;
    plan_move(policy, plan, thread_index(policy, slow), fast->processor, SCOPE_PROCESSOR);
    plan_move(policy, plan, thread_index(policy, fast), place, SCOPE_PROCESSOR);
}

/* ---- at rest ---- */

/* Returns the share of the last period in which the thread did not wait for others, in RATE_ONE. */
static int64_t awake_share(const struct thread *thread)
{
    const int64_t awake_ns = min_i64(thread->run_ns + thread->wait_ns,
                                     thread->elapsed_ns - thread->told_ns);

    return thread->elapsed_ns > 0 ? share_of(awake_ns, thread->elapsed_ns) : 0;
}

/* True if many threads wait for others that do not wait, or if threads report work: they may burn
 * such waits. A thread that hardly runs waits for something else, and does not count. */
static bool is_suspicious(const struct policy *policy, const struct domain *domain)
{
    int64_t most = 0;
    int awake_count = 0, waiting_count = 0;

    FOR_EACH_THREAD_OF(policy, domain, thread)
        most = max_i64(most, awake_share(thread));
    FOR_EACH_THREAD_OF(policy, domain, thread) {
        const int64_t share = awake_share(thread);
        if (thread->reports)
            return true;
        awake_count += share > SUSPICIOUS;
        waiting_count += share > SUSPICIOUS && share < most - SUSPICIOUS;
    }
    return waiting_count > 0 && WAITING_PARTS * waiting_count >= awake_count;
}

bool learning_wants_phases(const struct policy *policy, struct domain *domain, int64_t now_ns)
{
    struct learning *learning = &domain->learning;
    const struct fit_wish wish = belief_wish(policy, domain);

    if (learning->state == LEARNING_SURVEY)
        return true;
    if (learning->state == LEARNING_KNOWN || (!wish.speeds && !wish.beside))
        return false;
    learning->looks_left -= learning->looks_left > 0;
    learning->suspicion_count = is_suspicious(policy, domain) ? learning->suspicion_count + 1 : 0;
    if (learning->looks_left || learning->suspicion_count < SUSPICIONS_MIN)
        return false;
    learning->state = LEARNING_SURVEY;
    learning->accounts_left = SURVEY_ACCOUNTS;
    learning->until_ns = now_ns + SURVEY_NS;
    return true;
}
