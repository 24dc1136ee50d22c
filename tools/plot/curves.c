/* SPDX-License-Identifier: BSD-3-Clause */
/* theory-curves: prints the theoretical lines of the paper's figures for gnuplot. Each line is a
 * block that begins with its title; there are two blank lines between blocks. */
#include "libjuggle/theory/prediction.h"
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct theory_case section_5 = {
    .e_ns = 30 * NSEC_PER_SEC,
    .lambda_ns = 100 * NSEC_PER_MSEC,
    .phases = 1,
    .domains = 1,
};

/* A case of figs 11 to 13 and 21, from the paper's text, or of the kind that it plots. */
struct pair {
    int n, m;
};

static void start_line(const char *title)
{
    static bool started;

    printf("%s\"%s\"\n", started ? "\n\n" : "", title);
    started = true;
}

static void point(double x, double y)
{
    printf("%.6g %.6g\n", x, y);
}

static struct prediction predict(const struct theory_case *app)
{
    struct prediction prediction = {0};

    if (prediction_make(app, &prediction))
        abort(); /* cannot happen: all cases are in this file */
    return prediction;
}

/* ---- over n, Figs 9 and 10 ---- */

enum { FIGURE_9_M = 8, FIGURE_10_M_MAX = 32, FIGURE_10_FLOOR_MAX = 10 };

static double proactive_speedup(const struct theory_case *app)
{
    return predict(app).proactive.speedup;
}

static double reactive_speedup(const struct theory_case *app)
{
    return predict(app).reactive.speedup;
}

static void line_over_n(const char *title, int domains,
                        double (*value)(const struct theory_case *app))
{
    struct theory_case app = section_5;

    app.m = FIGURE_9_M;
    app.domains = domains;
    start_line(title);
    for (app.n = app.m; app.n <= 2 * app.m; app.n++)
        point(app.n, value(&app));
}

static void figure_9(void)
{
    line_over_n("proactive, 8 processors", 1, proactive_speedup);
    line_over_n("proactive, 2 domains of 4", 2, proactive_speedup);
    line_over_n("reactive, 8 processors", 1, reactive_speedup);
}

static void figure_10(void)
{
    struct theory_case app = section_5;

    for (app.m = 2; app.m <= FIGURE_10_M_MAX; app.m *= 2) {
        char title[32];

        snprintf(title, sizeof(title), "m = %d", app.m);
        start_line(title);
        for (int floor = 1; floor <= FIGURE_10_FLOOR_MAX; floor++) {
            app.n = floor * app.m + 1;
            point(floor, predict(&app).upper_bound_speedup);
        }
    }
}

/* ---- over lambda/e, the rest ---- */

/* The sample points: each is the previous one times `factor`, plus `step`. */
struct grid {
    double first, factor, step;
    int count;
};

static void line_over_ratio(const char *title, const struct theory_case *app,
                            const struct grid *grid, double (*value)(const struct theory_case *app))
{
    struct theory_case sample = *app;

    start_line(title);
    double x = grid->first;
    for (int i = 0; i < grid->count; i++) {
        sample.lambda_ns = llround(x * (double)app->e_ns);
        point(x, value(&sample));
        x = x * grid->factor + grid->step;
    }
}

static void lines_of_pairs(const struct pair *pairs, size_t pairs_count, const struct grid *grid,
                           double (*value)(const struct theory_case *app))
{
    struct theory_case app = section_5;

    for (size_t i = 0; i < pairs_count; i++) {
        char title[32];

        app.n = pairs[i].n;
        app.m = pairs[i].m;
        snprintf(title, sizeof(title), "(%d,%d)", app.n, app.m);
        line_over_ratio(title, &app, grid, value);
    }
}

/* Lines up to lambda = e c, from which on balancing is static. Samples avoid multiples of e. */
static void lines_of_floor(int floor, const struct pair *pairs, size_t pairs_count)
{
    const struct grid grid = {
        .first = 0.005, .factor = 1, .step = 0.01, .count = 100 * (floor + 1)};

    lines_of_pairs(pairs, pairs_count, &grid, proactive_speedup);
}

static void figure_11(void)
{
    static const struct pair pairs[] = {{8, 7}, {8, 6}, {8, 5}};

    lines_of_floor(1, pairs, ARRAY_COUNT(pairs));
}

static void figure_12(void)
{
    static const struct pair pairs[] = {{15, 7}, {16, 7}, {16, 6}};

    lines_of_floor(2, pairs, ARRAY_COUNT(pairs));
}

static void figure_13(void)
{
    static const struct pair pairs[] = {{22, 7}, {25, 7}, {20, 6}};

    lines_of_floor(3, pairs, ARRAY_COUNT(pairs));
}

/* Returns the speedup by (17) if its condition holds, otherwise by (15). */
static double sequence_bound_speedup(const struct theory_case *app)
{
    double static_ns, bound_ns, refined_ns;

    if (theory_static(app, &static_ns) || theory_continuous(app, &bound_ns))
        return NAN;
    if (theory_long_period_bound(app, &refined_ns) == THEORY_HOLDS)
        bound_ns = refined_ns;
    return static_ns / bound_ns;
}

/* Uses so many phases that the end of the sequence has no visible effect. */
static void lines_of_sequence(int n, int m, const struct grid *grid)
{
    struct theory_case app = section_5;

    app.n = n;
    app.m = m;
    app.phases = 100000;
    line_over_ratio("approximation", &app, grid, proactive_speedup);
    line_over_ratio("upper bound", &app, grid, sequence_bound_speedup);
}

static void figure_15(void)
{
    const struct grid grid = {.first = 0.005, .factor = 1, .step = 0.01, .count = 700};

    lines_of_sequence(8, 7, &grid);
}

static void figure_17(void)
{
    const struct grid grid = {.first = 0.001, .factor = 1.01, .count = 1158};

    lines_of_sequence(16, 12, &grid);
}

static double migrations_per_second(const struct theory_case *app)
{
    return predict(app).migrations * (double)NSEC_PER_SEC / (double)app->lambda_ns;
}

static void figure_21(void)
{
    static const struct pair pairs[] = {{8, 7}, {8, 6}, {16, 7}, {16, 6}};
    const struct grid grid = {.first = 0.001, .factor = 1.05, .count = 143};

    lines_of_pairs(pairs, ARRAY_COUNT(pairs), &grid, migrations_per_second);
}

/* ---- the program ---- */

static const struct figure {
    const char *name;
    void (*print)(void);
} figures[] = {
    {"fig09", figure_9},  {"fig10", figure_10}, {"fig11", figure_11}, {"fig12", figure_12},
    {"fig13", figure_13}, {"fig15", figure_15}, {"fig17", figure_17}, {"fig21", figure_21},
};

static int option_figure(const char *text, void *target, const char **expected)
{
    *expected = "a figure with theoretical lines, fig09 to fig13, fig15, fig17 or fig21";
    for (size_t i = 0; i < ARRAY_COUNT(figures); i++) {
        if (strcmp(text, figures[i].name))
            continue;
        *(const struct figure **)target = &figures[i];
        return 0;
    }
    return -EINVAL;
}

struct settings {
    const struct figure *figure;
};

static const struct option_spec options[] = {
    {"figure", 0, "NAME", "whose lines to print, such as fig09", option_figure,
     offsetof(struct settings, figure)},
    {0},
};

static const struct command_spec command = {
    .name = "theory-curves",
    .synopsis = "--figure NAME",
    .summary = "Prints the theoretical lines of a figure of the paper.",
    .options = options,
};

int main(int argc, char **argv)
{
    struct settings settings = {0};
    int exit_status;

    if (options_parse(&command, argc, argv, &settings, NULL, &exit_status))
        return exit_status;
    if (!settings.figure) {
        complain(command.name, "--figure is missing: see 'theory-curves --help'");
        return EXIT_USAGE;
    }
    settings.figure->print();
    return stdout_finish(command.name) ? EXIT_FAILURE : EXIT_SUCCESS;
}
