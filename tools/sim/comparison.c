/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/comparison.h"

#include "cli/options.h"
#include "cli/speeds.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

enum { JSON_DIGITS = 15 };

static double in_seconds(double time_ns)
{
    return time_ns / (double)NSEC_PER_SEC;
}

static double speedup_of(const struct comparison *comparison, const struct outcome *outcome)
{
    return (double)comparison->baseline.completion_ns / (double)outcome->completion_ns;
}

static double ratio_of(const struct comparison *comparison, const struct outcome *outcome)
{
    return (double)outcome->completion_ns / scenario_ideal_ns(comparison->scenario);
}

static double migration_rate(const struct outcome *outcome)
{
    return (double)outcome->migrations_count / in_seconds((double)outcome->completion_ns);
}

static bool has_opponent(const struct comparison *comparison)
{
    return comparison->scenario->opponent != OPPONENT_NONE;
}

/* ---- table ---- */

static void print_speeds(const struct scenario *scenario)
{
    const int m = scenario->machine.processors_count;
    struct speeds speeds = {.count = m};

    memcpy(speeds.values, scenario->speeds, (size_t)m * sizeof(speeds.values[0]));
    printf("speeds: ");
    speeds_print(&speeds, m);
    if (scenario->smt_speed < 1)
        printf("; a sibling that is busy leaves %g of it", scenario->smt_speed);
    printf("; ideal: %s\n", IN_WORDS(llround(scenario_ideal_ns(scenario))));
}

static void print_case(const struct scenario *scenario)
{
    const int domains = scenario->machine.domains_count;

    printf("%d thread%s on %d processor%s", scenario->threads_count,
           plural(scenario->threads_count), scenario->machine.processors_count,
           plural(scenario->machine.processors_count));
    if (domains > 1)
        printf(" in %d domains", domains);
    printf(", %d phase%s of %s, barrier %s", scenario->phases_count, plural(scenario->phases_count),
           IN_WORDS(scenario->phase_ns), barrier_style_names[scenario->barrier]);
    if (scenario->policy.period_ns)
        printf(", a balancing period of %s", IN_WORDS(scenario->policy.period_ns));
    puts("");
    if (scenario_unequal(scenario))
        print_speeds(scenario);
    puts("");
}

static void print_row(const struct comparison *comparison, const char *name,
                      const struct outcome *outcome)
{
    printf("%-11s  %10s  %7.3f  %9.3f  %12.1f\n", name, IN_WORDS(outcome->completion_ns),
           speedup_of(comparison, outcome), ratio_of(comparison, outcome), migration_rate(outcome));
}

void comparison_print_table(const struct comparison *comparison)
{
    const struct scenario *scenario = comparison->scenario;

    print_case(scenario);
    printf("%-11s  %10s  %7s  %9s  %12s\n", "balancing", "time", "speedup",
           scenario_unequal(scenario) ? "/ ideal" : "/ (e n/m)", "migrations/s");
    print_row(comparison, "static", &comparison->baseline);
    if (has_opponent(comparison))
        print_row(comparison, opponent_names[scenario->opponent], &comparison->opponent);
    print_row(comparison, policy_kind_name(scenario->policy.kind), &comparison->policy);
    printf("\n%lld turn%s\n", (long long)comparison->policy.rounds_count,
           plural(comparison->policy.rounds_count));
}

/* ---- JSON ---- */

static json_t *json_outcome(const struct comparison *comparison, const char *name,
                            const struct outcome *outcome)
{
    return json_pack("{s:s, s:f, s:f, s:f, s:f}", "name", name, "time_s",
                     in_seconds((double)outcome->completion_ns), "speedup",
                     speedup_of(comparison, outcome), "ratio", ratio_of(comparison, outcome),
                     "migrations_per_s", migration_rate(outcome));
}

static json_t *json_speeds(const struct scenario *scenario)
{
    json_t *speeds = json_array();
    int error = 0;

    for (int i = 0; i < scenario->machine.processors_count && !error; i++)
        error = json_array_append_new(speeds, json_real(scenario->speeds[i]));
    if (!error)
        return speeds;
    json_decref(speeds);
    return NULL;
}

static json_t *json_case(const struct scenario *scenario)
{
    return json_pack("{s:i, s:i, s:i, s:o, s:f, s:f, s:f, s:i, s:s, s:s, s:I}", "threads",
                     scenario->threads_count, "processors", scenario->machine.processors_count,
                     "domains", scenario->machine.domains_count, "speeds", json_speeds(scenario),
                     "smt", scenario->smt_speed, "phase_s", in_seconds((double)scenario->phase_ns),
                     "period_s", in_seconds((double)scenario->policy.period_ns), "phases",
                     scenario->phases_count, "barrier", barrier_style_names[scenario->barrier],
                     "telling", telling_names[scenario->telling], "seed",
                     (json_int_t)scenario->seed);
}

int comparison_print_json(const struct comparison *comparison)
{
    const struct scenario *scenario = comparison->scenario;
    json_t *root = json_pack(
        "{s:o, s:f, s:o, s:o*, s:o, s:I}", "case", json_case(scenario), "ideal_s",
        in_seconds(scenario_ideal_ns(scenario)), "static",
        json_outcome(comparison, "static", &comparison->baseline), "opponent",
        has_opponent(comparison)
            ? json_outcome(comparison, opponent_names[scenario->opponent], &comparison->opponent)
            : NULL,
        "policy",
        json_outcome(comparison, policy_kind_name(scenario->policy.kind), &comparison->policy),
        "rounds", (json_int_t)comparison->policy.rounds_count);
    int error = 0;

    if (!root || (has_opponent(comparison) && !json_object_get(root, "opponent"))) {
        json_decref(root);
        return -ENOMEM;
    }
    if (json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS)) ||
        putchar('\n') == EOF)
        error = -EIO;
    json_decref(root);
    return error;
}

/* ---- CSV ---- */

void comparison_print_csv_header(void)
{
    puts("n,m,e_s,period_s,seed,ideal_s,static_s,opponent_s,policy_s,speedup,ratio,"
         "migrations_per_s");
}

void comparison_print_csv_line(const struct comparison *comparison)
{
    const struct scenario *scenario = comparison->scenario;
    const struct outcome *policy = &comparison->policy;

    printf("%d,%d,%.9g,%.9g,%llu,%.9g,%.9g,", scenario->threads_count,
           scenario->machine.processors_count, in_seconds((double)scenario->phase_ns),
           in_seconds((double)scenario->policy.period_ns), (unsigned long long)scenario->seed,
           in_seconds(scenario_ideal_ns(scenario)),
           in_seconds((double)comparison->baseline.completion_ns));
    if (has_opponent(comparison))
        printf("%.9g", in_seconds((double)comparison->opponent.completion_ns));
    printf(",%.9g,%.6f,%.6f,%.3f\n", in_seconds((double)policy->completion_ns),
           speedup_of(comparison, policy), ratio_of(comparison, policy), migration_rate(policy));
}
