/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/theory/prediction.h"

#include <math.h>

static struct prediction_time time_of(double time_ns, const char *equation)
{
    return (struct prediction_time){.time_ns = time_ns, .equation = equation};
}

static const char *named(const struct theory_case *app, const char *of_one, const char *of_several)
{
    return app->phases == 1 ? of_one : of_several;
}

static void compare_with_static(struct prediction *prediction)
{
    const double static_ns = prediction->fixed.time_ns;

    prediction->fixed.speedup = 1;
    prediction->placed.speedup = static_ns / prediction->placed.time_ns;
    prediction->reactive.speedup = static_ns / prediction->reactive.time_ns;
    prediction->proactive.speedup = static_ns / prediction->proactive.time_ns;
}

/* ---- equal processors ---- */

static int share_of(int count, int parts, int index)
{
    return count / parts + (index < count % parts);
}

struct theory_case prediction_domain(const struct theory_case *app, int index)
{
    struct theory_case domain = *app;

    domain.n = share_of(app->n, app->domains, index);
    domain.m = share_of(app->m, app->domains, index);
    domain.domains = 1;
    return domain;
}

/* The case must be sound. */
static struct prediction_time predict_static(const struct theory_case *app)
{
    double time_ns = 0;

    (void)!theory_static(app, &time_ns);
    return time_of(time_ns, named(app, "(1)", "(16)"));
}

static struct prediction_time predict_reactive(const struct theory_case *app)
{
    double time_ns = 0;

    if (theory_continuous(app, &time_ns) != THEORY_HOLDS)
        return predict_static(app);
    if (theory_reactive(app, &time_ns) == THEORY_HOLDS)
        return time_of(time_ns, "(30)");
    (void)!theory_reactive_recurrence(app, &time_ns);
    return time_of(time_ns, "recurrence");
}

/* True if every balancing point falls on a barrier (Fig. 15), given a period that is no shorter
 * than a phase. */
static bool period_resonates(const struct theory_case *app)
{
    return app->lambda_ns % (app->e_ns * ceil_div(app->n, app->m)) == 0;
}

/* Both (2) and (14) bound a phase from below, and proactive balancing comes near the larger. */
static struct prediction_time predict_domain(const struct theory_case *app)
{
    double continuous_ns, time_ns;

    if (theory_continuous(app, &continuous_ns) != THEORY_HOLDS)
        return predict_static(app);
    if (theory_short_period(app, &time_ns) == THEORY_HOLDS)
        return time_ns > continuous_ns ? time_of(time_ns, named(app, "(2)", "(25)"))
                                       : time_of(continuous_ns, named(app, "(14)", "(15)"));
    if (period_resonates(app))
        return predict_static(app);
    if (theory_long_period(app, &time_ns) == THEORY_HOLDS)
        return time_of(time_ns, "(26)");
    if (theory_long_period_static(app, &time_ns) == THEORY_HOLDS)
        return time_of(time_ns, "(18)");
    return predict_static(app);
}

static void predict_domains(const struct theory_case *app, struct prediction *prediction)
{
    double bound_ns = 0;

    for (int index = 0; index < app->domains; index++) {
        const struct theory_case domain = prediction_domain(app, index);
        if (domain.n == 0)
            continue;
        const struct prediction_time time = predict_domain(&domain);
        double least_ns;

        if (time.time_ns > prediction->proactive.time_ns)
            prediction->proactive = time;
        if (theory_continuous(&domain, &least_ns) != THEORY_HOLDS)
            least_ns = predict_static(&domain).time_ns;
        bound_ns = fmax(bound_ns, least_ns);
        prediction->migrations += theory_migrations_mean(domain.n, domain.m);
    }
    prediction->upper_bound_speedup = prediction->fixed.time_ns / bound_ns;
}

enum theory_condition prediction_make(const struct theory_case *app, struct prediction *prediction)
{
    double static_ns;
    const enum theory_condition condition = theory_static(app, &static_ns);

    if (condition)
        return condition;
    struct prediction result = {
        .fixed = predict_static(app),
        .placed = predict_static(app),
        .reactive = predict_reactive(app),
    };
    predict_domains(app, &result);
    compare_with_static(&result);
    *prediction = result;
    return THEORY_HOLDS;
}

/* ---- unequal processors ---- */

/* If a period is too long for (2'), balancing is taken to bring nothing: it may bring a little. */
static struct prediction_time predict_unequal(const struct theory_case *app,
                                              const struct unequal_machine *machine,
                                              const struct prediction_time *fixed,
                                              double continuous_ns)
{
    double time_ns;

    if (unequal_short_period(app, machine, &time_ns) != THEORY_HOLDS ||
        fixed->time_ns <= continuous_ns)
        return *fixed;
    return time_ns > continuous_ns ? time_of(time_ns, named(app, "(2')", "(25')"))
                                   : time_of(continuous_ns, named(app, "(14')", "(15')"));
}

enum theory_condition prediction_make_unequal(const struct theory_case *app,
                                              const struct unequal_machine *machine,
                                              struct prediction *prediction)
{
    double static_ns, placed_ns, reactive_ns, continuous_ns;
    enum theory_condition condition = unequal_static(app, machine, &static_ns);

    if (!condition)
        condition = unequal_placed(app, machine, &placed_ns);
    if (!condition)
        condition = unequal_continuous(app, machine, &continuous_ns);
    if (!condition)
        condition = unequal_reactive(app, machine, &reactive_ns);
    if (condition)
        return condition;
    struct prediction result = {
        .fixed = time_of(static_ns, named(app, "(1')", "(16')")),
        .placed = time_of(placed_ns, "placement"),
        .reactive = time_of(reactive_ns, "recurrence"),
        .upper_bound_speedup = static_ns / continuous_ns,
        .migrations = NAN,
    };
    result.proactive = predict_unequal(app, machine, &result.fixed, continuous_ns);
    compare_with_static(&result);
    *prediction = result;
    return THEORY_HOLDS;
}
