/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the same work w a thread runs r_p on processor p, of speed s_p, or s_p f beside a busy
 * sibling: the sum of s_p r_p is w. The residual of a thread is how much its sum is too great, in
 * logarithms and relative to the mean of all threads. Speeds are those of least squares, over
 * accounts that fade.
 *
 * A thread that has more to do than others is late on every processor. So each explanation also has
 * a term for each thread. The explanation that processors are alike learns the term at once, the
 * other one slowly, from what speeds leave over. While no thread changes places, both explain
 * everything and nothing can be concluded; when threads have moved, the wrong one predicts worse.
 */
#include "libjuggle/policy/fit.h"

#include "libjuggle/policy/state.h"

#include <math.h>

/* Means are over about this many accounts: late ones replace early ones. */
enum { ERROR_MEMORY = 4, THREAD_MEMORY = 8 };

/* Coordinate descent: SWEEPS corrections of the speeds for each account. A correction is the
 * smaller the more accounts have been counted, up to SPEED_MEMORY of them. */
enum { SWEEPS = 3, SPEED_MEMORY = 12 };

/* Prior odds: if both explain the data, a busy sibling is this much more likely than a slow
 * processor. */
#define BESIDE_WEIGHT 1000.0

/* Less than this much run time tells nothing. */
#define RUN_LEAST_NS (0.2 * (double)NSEC_PER_MSEC)

/* Residuals are cut off here: a thread that is off by more was misunderstood. */
#define RESIDUAL_MAX 1.0

/* Speeds stay within a factor of twenty. */
#define SPEED_LOG_MAX 3.0

/* ---- stints ---- */

static struct stint *stint_on(struct stints *stints, int processor)
{
    for (int i = 0; i < stints->count; i++)
        if (stints->items[i].processor == processor)
            return &stints->items[i];
    if (stints->count == STINTS_MAX)
        return NULL;
    stints->items[stints->count] = (struct stint){.processor = processor};
    return &stints->items[stints->count++];
}

void stints_add(struct stints *stints, int processor, double run_ns, double beside)
{
    if (run_ns <= 0)
        return;
    struct stint *stint = stint_on(stints, processor);
    if (!stint) {
        stints->overflown = true;
        return;
    }
    stint->alone_ns += run_ns * (1 - beside);
    stint->beside_ns += run_ns * beside;
}

void stints_clear(struct stints *stints)
{
    stints->count = 0;
    stints->overflown = false;
}

static double stints_run_ns(const struct stints *stints)
{
    double run_ns = 0;

    for (int i = 0; i < stints->count; i++)
        run_ns += stints->items[i].alone_ns + stints->items[i].beside_ns;
    return run_ns;
}

/* ---- ---- */

static double clamp(double value, double most)
{
    return fmax(-most, fmin(value, most));
}

/* Returns one of the threads that are compared: the first `count` of domain->order. */
static struct fit_thread *compared(struct policy *policy, struct domain *domain, int i)
{
    return &policy->threads[domain->order[i].index].fit;
}

/* ---- what an explanation expects ---- */

static double stint_work(const struct policy *policy, const struct domain *domain,
                         const struct stint *stint)
{
    const double speed = exp(policy->processors[stint->processor].fit.speed_log);

    return speed * (stint->alone_ns + exp(domain->fit.beside_log) * stint->beside_ns);
}

static double stints_work(const struct policy *policy, const struct domain *domain,
                          const struct stints *stints)
{
    double work = 0;

    for (int i = 0; i < stints->count; i++)
        work += stint_work(policy, domain, &stints->items[i]);
    return work;
}

static double done_log(const struct policy *policy, const struct domain *domain,
                       const struct fit_thread *thread, bool alike)
{
    const double told = thread->reports ? log(thread->done_ns) : 0;

    if (alike)
        return log(stints_run_ns(&thread->stints)) - thread->equal_log - told;
    return log(stints_work(policy, domain, &thread->stints)) - thread->unequal_log - told;
}

/* Sets the residuals and returns the mean of their squares. */
static double find_residuals(struct policy *policy, struct domain *domain, int count, bool alike)
{
    double sum = 0, square_sum = 0;

    for (int i = 0; i < count; i++) {
        struct fit_thread *thread = compared(policy, domain, i);
        thread->residual = done_log(policy, domain, thread, alike);
        sum += thread->residual;
    }
    for (int i = 0; i < count; i++) {
        struct fit_thread *thread = compared(policy, domain, i);
        thread->residual = clamp(thread->residual - sum / count, RESIDUAL_MAX);
        square_sum += thread->residual * thread->residual;
    }
    return square_sum / count;
}

/* ---- learning ---- */

/* Returns the share of the thread's work that was done beside a busy sibling. */
static double beside_share(const struct policy *policy, const struct domain *domain,
                           const struct fit_thread *thread)
{
    double work = 0;

    for (int i = 0; i < thread->stints.count; i++)
        work += thread->stints.items[i].beside_ns *
                exp(domain->fit.beside_log +
                    policy->processors[thread->stints.items[i].processor].fit.speed_log);
    return work / stints_work(policy, domain, &thread->stints);
}

/* Corrects speeds by what they leave over of a thread's work (`excess`): each processor where it
 * ran by its share in that work, but rather the factor of siblings, by its share relative to the
 * mean (`beside`). */
static void correct(struct policy *policy, struct domain *domain, const struct fit_thread *thread,
                    double excess, double beside)
{
    const double work = stints_work(policy, domain, &thread->stints);
    double shares[STINTS_MAX], weight = BESIDE_WEIGHT * beside * beside;

    for (int i = 0; i < thread->stints.count; i++) {
        shares[i] = stint_work(policy, domain, &thread->stints.items[i]) / work;
        weight += shares[i] * shares[i];
    }
    for (int i = 0; i < thread->stints.count; i++) {
        struct fit_processor *fit = &policy->processors[thread->stints.items[i].processor].fit;
        fit->speed_log = clamp(fit->speed_log - excess * shares[i] / weight, SPEED_LOG_MAX);
        fit->visited = true;
    }
    domain->fit.beside_log = clamp(
        domain->fit.beside_log - excess * BESIDE_WEIGHT * beside / weight, SPEED_LOG_MAX);
}

/* Takes from struct machine what need not be learned. */
static void take_known(struct policy *policy, struct domain *domain, const struct fit_wish *wish)
{
    if (!wish->beside)
        domain->fit.beside_log = log((double)machine_smt_rate(&policy->machine) / (double)RATE_ONE);
    FOR_EACH_PROCESSOR_OF(domain, processor)
        if (!wish->speeds)
            policy->processors[processor].fit.speed_log = log(
                (double)machine_rate(&policy->machine, processor) / (double)RATE_ONE);
}

static void learn_speeds(struct policy *policy, struct domain *domain, int count,
                         const struct fit_wish *wish)
{
    const double part = 1 / fmin(domain->fit.accounts_count, SPEED_MEMORY);

    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        const double before = domain->fit.beside_log;
        double mean = 0, beside = 0;
        for (int i = 0; i < count; i++) {
            mean += done_log(policy, domain, compared(policy, domain, i), false) / count;
            beside += beside_share(policy, domain, compared(policy, domain, i)) / count;
        }
        for (int i = 0; i < count; i++) {
            const struct fit_thread *thread = compared(policy, domain, i);
            const double now = mean + beside * (domain->fit.beside_log - before);
            correct(policy, domain, thread,
                    part * clamp(done_log(policy, domain, thread, false) - now, RESIDUAL_MAX),
                    beside_share(policy, domain, thread) - beside);
        }
        take_known(policy, domain, wish);
    }
}

static void learn(struct policy *policy, struct domain *domain, int count,
                  const struct fit_wish *wish)
{
    struct fit *fit = &domain->fit;
    double weight = fmin(fit->accounts_count++, ERROR_MEMORY);
    const double alike_error = find_residuals(policy, domain, count, true);

    for (int i = 0; i < count; i++) {
        struct fit_thread *thread = compared(policy, domain, i);
        thread->accounts_count += thread->accounts_count < THREAD_MEMORY;
        thread->equal_log += thread->residual / thread->accounts_count;
    }
    const double unequal_error = find_residuals(policy, domain, count, false);
    learn_speeds(policy, domain, count, wish);
    find_residuals(policy, domain, count, false);
    for (int i = 0; i < count; i++) {
        struct fit_thread *thread = compared(policy, domain, i);
        thread->unequal_log += thread->residual / THREAD_MEMORY;
    }
    if (weight <= 0)
        return; /* neither explanation had seen an account before */
    fit->alike_error += (alike_error - fit->alike_error) / weight;
    fit->unequal_error += (unequal_error - fit->unequal_error) / weight;
}

/* ---- accounts ---- */

static bool tells(const struct fit_thread *thread, const struct fit_wish *wish)
{
    return !thread->blurred && !thread->stints.overflown &&
           stints_run_ns(&thread->stints) >= RUN_LEAST_NS &&
           (wish->reports_only ? thread->reports && thread->done_ns > 0 : !thread->reports);
}

bool fit_account(struct policy *policy, struct domain *domain, const struct fit_wish *wish)
{
    int count = 0;

    take_known(policy, domain, wish);
    FOR_EACH_THREAD_OF(policy, domain, thread)
        if (tells(&thread->fit, wish))
            domain->order[count++].index = thread_index(policy, thread);
    if (count > 1)
        learn(policy, domain, count, wish);
    FOR_EACH_THREAD_OF(policy, domain, thread) {
        struct fit_thread *fit = &thread->fit;
        if (fit->reports != wish->reports_only)
            continue;
        stints_clear(&fit->stints);
        fit->done_ns = 0;
        fit->blurred = false;
    }
    return count > 1;
}
