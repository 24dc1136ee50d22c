/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/predict/report.h"

#include "libjuggle/cli/options.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

enum { DURATION_TEXT_SIZE = 32, JSON_DIGITS = 15 };

static double in_seconds(double time_ns)
{
    return time_ns / (double)NSEC_PER_SEC;
}

static void print_case(const struct theory_case *app)
{
    char phase[DURATION_TEXT_SIZE], period[DURATION_TEXT_SIZE];

    printf("%d threads on %d processors", app->n, app->m);
    if (app->domains > 1)
        printf(" in %d domains", app->domains);
    printf(", %d phase%s of %s, a balancing period of %s\n\n", app->phases,
           app->phases == 1 ? "" : "s", duration_format(app->e_ns, phase, sizeof(phase)),
           duration_format(app->lambda_ns, period, sizeof(period)));
}

static void print_row(const char *name, const struct theory_time *time)
{
    char text[DURATION_TEXT_SIZE];

    printf("%-11s  %10s  %7.3f  %s\n", name,
           duration_format(llround(time->time_ns), text, sizeof(text)), time->speedup,
           time->equation);
}

void report_table(const struct theory_case *app, const struct theory_prediction *prediction,
                  const struct advice *advice)
{
    char sentence[ADVICE_TEXT_SIZE];

    print_case(app);
    printf("%-11s  %10s  %7s  %s\n", "balancing", "time", "speedup", "equation");
    print_row("static", &prediction->fixed);
    print_row("reactive", &prediction->reactive);
    print_row("proactive", &prediction->proactive);
    printf("%-11s  %10s  %7.3f\n", "upper bound", "", prediction->upper_bound_speedup);
    printf("\n%s\n", advice_text(advice, app, sentence, sizeof(sentence)));
}

static json_t *json_time(const struct theory_time *time)
{
    return json_pack("{s:f, s:f, s:s}", "time_s", in_seconds(time->time_ns), "speedup",
                     time->speedup, "equation", time->equation);
}

int report_json(const struct theory_case *app, const struct theory_prediction *prediction,
                const struct advice *advice)
{
    char sentence[ADVICE_TEXT_SIZE];
    json_t *report = json_pack(
        "{s:i, s:i, s:f, s:f, s:i, s:i, s:o, s:o, s:o, s:f, s:f, s:f, s:s}", /* in this order */
        "threads", app->n, "processors", app->m, "phase_s", in_seconds((double)app->e_ns),
        "period_s", in_seconds((double)app->lambda_ns), "phases", app->phases, "domains",
        app->domains, "static", json_time(&prediction->fixed), "reactive",
        json_time(&prediction->reactive), "proactive", json_time(&prediction->proactive),
        "upper_bound_speedup", prediction->upper_bound_speedup, "migrations_per_period",
        prediction->migrations, "advised_period_s", in_seconds((double)advice->period_ns), "advice",
        advice_text(advice, app, sentence, sizeof(sentence)));

    if (!report || json_dumpf(report, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS))) {
        json_decref(report);
        return -ENOMEM;
    }
    json_decref(report);
    putchar('\n');
    return 0;
}
