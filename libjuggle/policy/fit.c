/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the same work w a thread runs r_p on processor p, of speed s_p, or s_p f beside a busy
 * sibling: the sum of s_p r_p is w. In logarithms, against the mean of all threads, what is too
 * much of it is the residual, and speeds are those of least squares, over accounts that fade.
 *
 * Who has more to do than others is late on every processor. So each explanation also has a term
 * for each thread: the one that takes processors for alike learns it at once, the other slowly,
 * from what speeds leave over. As long as nobody changes places both explain everything, and
 * nothing can be told from it; when threads have moved, the wrong one is surprised.
 */
#include "libjuggle/policy/fit.h"

#include "libjuggle/policy/state.h"

#include <math.h>

/* Accounts that count in means: late ones replace early ones. */
enum { ERROR_MEMORY = 4, THREAD_MEMORY = 8 };

/* What an account weighs after the next one. */
#define FADING 0.9

/* Against the squares of shares, which come to about one for each account of a thread. */
#define PULL        1e-3
#define PULL_BESIDE 1e-5

enum { SWEEPS = 20 };

/* Less than this much run time tells nothing. */
#define RUN_LEAST_NS (0.2 * (double)NSEC_PER_MSEC)

/* A thread that is off by more was misunderstood. */
#define RESIDUAL_MAX 1.0

/* Speeds stay within a factor of twenty. */
#define SPEED_LOG_MAX 3.0

static double clamp(double value, double most)
{
    return fmax(-most, fmin(value, most));
}

/* The threads that are compared: the first `count` of domain->order. */
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
        return log(stints_run_ns(&thread->stints)) - thread->alike_log - told;
    return log(stints_work(policy, domain, &thread->stints)) - thread->own_log - told;
}

/* Sets the residuals; the mean of their squares. */
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

static double *cell(struct fit_equations *equations, int row, int column)
{
    return &equations->matrix[row * equations->size + column];
}

static void equations_fade(struct fit_equations *equations)
{
    for (int i = 0; i < equations->size * equations->size; i++)
        equations->matrix[i] *= FADING;
    for (int i = 0; i < equations->size; i++) {
        equations->vector[i] *= FADING;
        equations->sum[i] = 0;
    }
}

/* By how much each unknown counts in what the thread has done. */
struct row {
    int count;
    int index[STINTS_MAX + 1];
    double share[STINTS_MAX + 1];
};

static struct row row_of(const struct policy *policy, const struct domain *domain,
                         const struct stints *stints)
{
    const double work = stints_work(policy, domain, stints);
    struct row row = {.count = stints->count + 1};

    row.index[stints->count] = domain->count;
    for (int i = 0; i < stints->count; i++) {
        const struct stint *stint = &stints->items[i];
        const double speed = exp(policy->processors[stint->processor].fit.speed_log);
        row.index[i] = stint->processor - domain->first;
        row.share[i] = stint_work(policy, domain, stint) / work;
        row.share[stints->count] += speed * exp(domain->fit.beside_log) * stint->beside_ns / work;
    }
    return row;
}

static double *unknown(struct policy *policy, struct domain *domain, int index)
{
    return index == domain->count ? &domain->fit.beside_log
                                  : &policy->processors[domain->first + index].fit.speed_log;
}

/* One thread's equation, around what is believed: the residual vanishes. Its right side. */
static double equations_add(struct policy *policy, struct domain *domain,
                            const struct fit_thread *thread)
{
    struct fit_equations *equations = &domain->fit.equations;
    const struct row row = row_of(policy, domain, &thread->stints);
    double right = -thread->residual;

    for (int i = 0; i < row.count; i++)
        right += row.share[i] * *unknown(policy, domain, row.index[i]);
    for (int i = 0; i < row.count; i++) {
        for (int j = 0; j < row.count; j++)
            *cell(equations, row.index[i], row.index[j]) += row.share[i] * row.share[j];
        equations->vector[row.index[i]] += row.share[i] * right;
        equations->sum[row.index[i]] += row.share[i];
    }
    for (int i = 0; i < thread->stints.count; i++)
        policy->processors[thread->stints.items[i].processor].fit.visited = true;
    domain->fit.beside_seen |= row.share[row.count - 1] > 0;
    return right;
}

/* How much work an account was about is not known: equations are those of distances to its mean. */
static void equations_center(struct fit_equations *equations, int count, double right_sum)
{
    for (int i = 0; i < equations->size; i++) {
        for (int j = 0; j < equations->size; j++)
            *cell(equations, i, j) -= equations->sum[i] * equations->sum[j] / count;
        equations->vector[i] -= equations->sum[i] * right_sum / count;
    }
}

/* One step of Gauss and Seidel. What evidence leaves open tends to zero, siblings last. */
static void equations_step(struct policy *policy, struct domain *domain, int row)
{
    struct fit_equations *equations = &domain->fit.equations;
    const double pull = row == domain->count ? PULL_BESIDE : PULL;
    double *value = unknown(policy, domain, row);
    double right = equations->vector[row];

    for (int i = 0; i < equations->size; i++)
        if (i != row)
            right -= *cell(equations, row, i) * *unknown(policy, domain, i);
    *value = clamp(right / (*cell(equations, row, row) + pull), SPEED_LOG_MAX);
}

static void learn_speeds(struct policy *policy, struct domain *domain, int count,
                         const struct fit_wish *wish)
{
    struct fit_equations *equations = &domain->fit.equations;
    double right_sum = 0;

    equations_fade(equations);
    for (int i = 0; i < count; i++)
        right_sum += equations_add(policy, domain, compared(policy, domain, i));
    equations_center(equations, count, right_sum);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        if (wish->beside)
            equations_step(policy, domain, domain->count);
        for (int i = 0; wish->speeds && i < domain->count; i++)
            equations_step(policy, domain, i);
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
        thread->alike_log += thread->residual / thread->accounts_count;
    }
    const double unequal_error = find_residuals(policy, domain, count, false);
    learn_speeds(policy, domain, count, wish);
    find_residuals(policy, domain, count, false);
    for (int i = 0; i < count; i++) {
        struct fit_thread *thread = compared(policy, domain, i);
        thread->own_log += thread->residual / THREAD_MEMORY;
    }
    if (weight <= 0)
        return; /* neither had seen any account */
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

/* What need not be learned. */
static void take_known(struct policy *policy, struct domain *domain, const struct fit_wish *wish)
{
    if (!wish->beside)
        domain->fit.beside_log = log((double)machine_smt_rate(&policy->machine) / (double)RATE_ONE);
    FOR_EACH_PROCESSOR_OF(domain, processor)
        if (!wish->speeds)
            policy->processors[processor].fit.speed_log = log(
                (double)machine_rate(&policy->machine, processor) / (double)RATE_ONE);
}

bool fit_account(struct policy *policy, struct domain *domain, const struct fit_wish *wish)
{
    int count = 0;

    take_known(policy, domain, wish);
    FOR_EACH_PROCESSOR_OF(domain, processor)
        FOR_EACH_THREAD_ON(policy, processor, slot)
            if (tells(&policy->threads[slot].fit, wish))
                domain->order[count++].index = slot;
    if (count > 1)
        learn(policy, domain, count, wish);
    FOR_EACH_PROCESSOR_OF(domain, processor)
        FOR_EACH_THREAD_ON(policy, processor, slot) {
            struct fit_thread *thread = &policy->threads[slot].fit;
            if (thread->reports != wish->reports_only)
                continue;
            stints_clear(&thread->stints);
            thread->done_ns = 0;
            thread->blurred = false;
        }
    return count > 1;
}
