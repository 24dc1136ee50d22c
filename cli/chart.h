/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of who ran where: text for a terminal or a letter, SVG for a page. */
#ifndef JUGGLE_CLI_CHART_H
#define JUGGLE_CLI_CHART_H

#include "libjuggle/engine/run_history.h"

#include <stdio.h>

/* Writes the picture; whether the file took it is told by the file. */
typedef int (*chart_writer)(const struct run_history *history, const char *title, FILE *out);

int chart_write_text(const struct run_history *history, const char *title, FILE *out) MUST_CHECK;
int chart_write_svg(const struct run_history *history, const char *title, FILE *out) MUST_CHECK;

/* The one for a path that ends in .svg or .txt; NULL for any other. */
chart_writer chart_for(const char *path);

/* ---- for the writers ---- */

/* What is drawn of a run in which no turn was taken. */
#define CHART_EMPTY "Nothing was balanced"

/* How a span of a processor's time was used: shares of it. */
struct chart_use {
    double idle;
    double others;   /* other programs or a quota took it, while threads wanted to run */
    double rest;     /* threads without a row */
    double *threads; /* by row */
};

/* Columns [first, end) of a window. `threads` has room for all rows. */
void chart_use(const struct run_history *history, const struct run_history_window *window,
               int number, int first, int end, struct chart_use *use);

/* The first column of a window that belongs to the drawn column `at` of `count`. */
int chart_column(const struct run_history_window *window, int at, int count);

#endif
