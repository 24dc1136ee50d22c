/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts of which thread ran on which processor: text for a terminal or a letter, SVG for a
 * page. */
#ifndef JUGGLE_CLI_CHART_H
#define JUGGLE_CLI_CHART_H

#include "libjuggle/engine/run_history.h"

#include <stdio.h>

/* Writes the chart. -ENOMEM. If writing fails, only ferror(out) says so. */
typedef int (*chart_writer)(const struct run_history *history, const char *title, FILE *out);

int chart_write_text(const struct run_history *history, const char *title, FILE *out) MUST_CHECK;
int chart_write_svg(const struct run_history *history, const char *title, FILE *out) MUST_CHECK;

/* Returns the writer for a path that ends in .svg or .txt; NULL for any other. */
chart_writer chart_for(const char *path);

/* ---- for the writers ---- */

/* The text that is drawn if no turn was taken in the run. */
#define CHART_EMPTY "Nothing was balanced"

/* How a span of a processor's time was used, in shares of it. */
struct chart_use {
    double idle;
    double others;   /* other programs or a quota took it, while threads wanted to run */
    double rest;     /* threads without a row */
    double *threads; /* by row */
};

/* Sums up how processor `number` was used in the drawn column `at` of `count`. `threads` must have
 * room for all rows. */
void chart_use(const struct run_history *history, const struct run_history_window *window,
               int number, int at, int count, struct chart_use *use);

/* The first column of a window that belongs to the drawn column `at` of `count`. */
int chart_column(const struct run_history_window *window, int at, int count);

#endif
