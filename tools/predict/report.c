/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/predict/report.h"

#include "cli/options.h"
#include "tools/predict/equations.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

enum { JSON_DIGITS = 15 };

static double in_seconds(double time_ns)
{
    return time_ns / (double)NSEC_PER_SEC;
}

static void print_case(const struct question *question)
{
    const struct theory_case *app = &question->app;

    printf("%d thread%s on %d processor%s", app->n, plural(app->n), app->m, plural(app->m));
    if (app->domains > 1)
        printf(" in %d domains", app->domains);
    printf(", %d phase%s of %s, a balancing period of %s\n", app->phases, plural(app->phases),
           IN_WORDS(app->e_ns), IN_WORDS(app->lambda_ns));
}

/* Prints the speeds of the processors, and the total speed of all threads if each always has a
 * slot. */
static void print_machine(const struct question *question)
{
    printf("speeds: ");
    speeds_print(&question->speeds, question->app.m);
    if (question->smt.factor > 0)
        printf("; a sibling that is busy leaves %g of it", question->smt.factor);
    printf("; %d thread%s at once: %.4g\n\n", question->app.n, plural(question->app.n),
           unequal_rate(&question->machine, question->app.n));
}

static void print_row(const char *name, const struct prediction_time *time)
{
    printf("%-11s  %10s  %7.3f  %s\n", name, IN_WORDS(llround(time->time_ns)), time->speedup,
           time->equation);
}

void report_table(const struct question *question, const struct prediction *prediction,
                  const struct period_advice *advice)
{
    char sentence[ADVICE_TEXT_SIZE];

    print_case(question);
    if (question_unequal(question))
        print_machine(question);
    else
        putchar('\n');
    printf("%-11s  %10s  %7s  %s\n", "balancing", "time", "speedup", "equation");
    print_row("static", &prediction->fixed);
    if (question_unequal(question))
        print_row("placed", &prediction->placed);
    print_row("reactive", &prediction->reactive);
    print_row("proactive", &prediction->proactive);
    printf("%-11s  %10s  %7.3f\n", "upper bound", "", prediction->upper_bound_speedup);
    printf("\n%s\n", advice_text(advice, question, sentence, sizeof(sentence)));
}

void report_equations(const struct question *question)
{
    struct equation list[EQUATIONS_MAX];
    const int count = equations_list(question, list);

    puts("");
    for (int i = 0; i < count; i++) {

        printf("%-12s  %-48s  ", list[i].number, list[i].text);
        if (list[i].condition)
            printf("needs %s\n", theory_condition_text(list[i].condition));
        else if (list[i].counted)
            printf("%.4g\n", list[i].value);
        else
            printf("%s\n", IN_WORDS(llround(list[i].value)));
    }
}

static json_t *json_time(const struct prediction_time *time)
{
    return json_pack("{s:f, s:f, s:s}", "time_s", in_seconds(time->time_ns), "speedup",
                     time->speedup, "equation", time->equation);
}

/* Makes an object with the value as "time_s" or "count", or with the unmet condition as "needs". */
static json_t *json_equation(const struct equation *equation)
{
    const double value = equation->counted ? equation->value : in_seconds(equation->value);

    if (equation->condition)
        return json_pack("{s:s, s:s, s:s}", "equation", equation->number, "text", equation->text,
                         "needs", theory_condition_text(equation->condition));
    return json_pack("{s:s, s:s, s:f}", "equation", equation->number, "text", equation->text,
                     equation->counted ? "count" : "time_s", value);
}

static json_t *json_equations(const struct question *question)
{
    struct equation list[EQUATIONS_MAX];
    const int count = equations_list(question, list);
    json_t *equations = json_array();
    int error = 0;

    for (int i = 0; i < count && !error; i++)
        error = json_array_append_new(equations, json_equation(&list[i]));
    if (!error)
        return equations;
    json_decref(equations);
    return NULL;
}

static json_t *json_speeds(const struct question *question)
{
    json_t *speeds = json_array();
    int error = 0;

    for (int i = 0; i < question->app.m && !error; i++)
        error = json_array_append_new(speeds, json_real(speeds_at(&question->speeds, i)));
    if (!error)
        return speeds;
    json_decref(speeds);
    return NULL;
}

static int json_add_machine(json_t *report, const struct question *question,
                            const struct prediction *prediction)
{
    return json_object_set_new(report, "speeds", json_speeds(question)) ||
           json_object_set_new(report, "rate",
                               json_real(unequal_rate(&question->machine, question->app.n))) ||
           json_object_set_new(report, "placed", json_time(&prediction->placed));
}

static json_t *json_report(const struct question *question, const struct prediction *prediction,
                           const struct period_advice *advice)
{
    const struct theory_case *app = &question->app;
    char sentence[ADVICE_TEXT_SIZE];

    return json_pack(
        "{s:i, s:i, s:f, s:f, s:i, s:i, s:o, s:o, s:o, s:f, s:o, s:f, s:s}", /* in this order */
        "threads", app->n, "processors", app->m, "phase_s", in_seconds((double)app->e_ns),
        "period_s", in_seconds((double)app->lambda_ns), "phases", app->phases, "domains",
        app->domains, "static", json_time(&prediction->fixed), "reactive",
        json_time(&prediction->reactive), "proactive", json_time(&prediction->proactive),
        "upper_bound_speedup", prediction->upper_bound_speedup, "migrations_per_period",
        isnan(prediction->migrations) ? json_null() : json_real(prediction->migrations),
        "advised_period_s", in_seconds((double)advice->period_ns), "advice",
        advice_text(advice, question, sentence, sizeof(sentence)));
}

int report_json(const struct question *question, const struct prediction *prediction,
                const struct period_advice *advice, bool equations)
{
    json_t *report = json_report(question, prediction, advice);

    if (!report || (question_unequal(question) && json_add_machine(report, question, prediction)) ||
        (equations && json_object_set_new(report, "equations", json_equations(question))) ||
        json_dumpf(report, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS))) {
        json_decref(report);
        return -ENOMEM;
    }
    json_decref(report);
    putchar('\n');
    return 0;
}
