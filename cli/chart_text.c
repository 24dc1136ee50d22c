/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/chart.h"

#include "libjuggle/wish/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum {
    COLUMNS = 72,
    LABEL_WIDTH = 10,
    LINES_MAX = 24, /* processors; if there are more, one line shows several */
    NAMED_MAX = 8,  /* threads in the legend */
    TIME_SIZE = 32,
    SYMBOL_IDLE = 0, /* then others, the rest, and the threads */
    SYMBOL_OTHERS,
    SYMBOL_REST,
    SYMBOL_THREADS,
};

static char glyph(int symbol)
{
    switch (symbol) {
    case SYMBOL_IDLE:
        return '.';
    case SYMBOL_OTHERS:
        return '#';
    case SYMBOL_REST:
        return '+';
    default:
        return letters[(size_t)(symbol - SYMBOL_THREADS) % (sizeof(letters) - 1)];
    }
}

/* The state with which a line is drawn. */
struct pen {
    const struct run_history *history;
    const struct run_history_window *window;
    struct chart_use use;
    double *credits; /* by symbol */
    FILE *out;
};

/*
 * Each symbol has a credit: its shares so far minus the columns that show it. A column shows the
 * symbol with the largest credit, so that threads that share a processor alternate and rounding
 * cancels along the line.
 */
static void draw_column(const struct pen *pen)
{
    const int symbols_count = SYMBOL_THREADS + run_history_rows(pen->history);
    int best = SYMBOL_IDLE;

    pen->credits[SYMBOL_IDLE] += pen->use.idle;
    pen->credits[SYMBOL_OTHERS] += pen->use.others;
    pen->credits[SYMBOL_REST] += pen->use.rest;
    for (int symbol = SYMBOL_THREADS; symbol < symbols_count; symbol++)
        pen->credits[symbol] += pen->use.threads[symbol - SYMBOL_THREADS];
    for (int symbol = 0; symbol < symbols_count; symbol++)
        if (pen->credits[symbol] > pen->credits[best])
            best = symbol;
    pen->credits[best] -= 1;
    fputc(glyph(best), pen->out);
}

static int columns_drawn(const struct run_history_window *window)
{
    return (int)min_i64(COLUMNS, window->columns_count);
}

static void draw_processor(struct pen *pen, int number)
{
    const int count = columns_drawn(pen->window);
    const int symbols_count = SYMBOL_THREADS + run_history_rows(pen->history);

    fprintf(pen->out, "  cpu %-*d", LABEL_WIDTH - 6, number);
    memset(pen->credits, 0, (size_t)symbols_count * sizeof(*pen->credits));
    for (int at = 0; at < count; at++) {
        chart_use(pen->history, pen->window, number, at, count, &pen->use);
        draw_column(pen);
    }
    fputc('\n', pen->out);
}

/* Tenths: '.' for none, '*' for all. */
static char tenths(double share)
{
    const int tenth = (int)(share * 10 + 0.5);

    return tenth <= 0 ? '.' : tenth >= 10 ? '*' : (char)('0' + tenth);
}

/* Draws how busy processors [first, end) of the list were. */
static void draw_group(struct pen *pen, const int *numbers, int first, int end)
{
    const int count = columns_drawn(pen->window);

    fprintf(pen->out, " %4d-%-*d", numbers[first], LABEL_WIDTH - 6, numbers[end - 1]);
    for (int at = 0; at < count; at++) {
        double busy = 0;

        for (int i = first; i < end; i++) {
            chart_use(pen->history, pen->window, numbers[i], at, count, &pen->use);
            busy += 1 - pen->use.idle - pen->use.others;
        }
        fputc(tenths(busy / (end - first)), pen->out);
    }
    fputc('\n', pen->out);
}

/* Draws how many threads stood in run queues, and how many moves there were, in each column. */
static void draw_sums(const struct pen *pen)
{
    const struct run_history_window *window = pen->window;
    const int count = columns_drawn(window);
    char moves[COLUMNS + 1] = {0};

    fprintf(pen->out, "  %-*s", LABEL_WIDTH - 2, "queued");
    for (int at = 0; at < count; at++) {
        const int first = chart_column(window, at, count),
                  end = chart_column(window, at + 1, count);
        double queue_ns = 0;
        int moves_count = 0;

        for (int column = first; column < end; column++) {
            for (int row = 0; row < run_history_rows(pen->history); row++)
                queue_ns += (double)window->threads[row][column].queue_ns;
            moves_count += window->moves[column];
        }
        fputc(tenths(queue_ns / ((double)(end - first) * (double)window->column_ns) / 10),
              pen->out);
        moves[at] = tenths(moves_count / 10.0);
    }
    fprintf(pen->out, "\n  %-*s%s\n", LABEL_WIDTH - 2, "moves", moves);
}

static void draw_window(struct pen *pen, const char *title)
{
    int numbers[MACHINE_PROCESSORS_MAX];
    const int count = run_history_processors(pen->history, numbers);
    const int group = ceil_div(count, LINES_MAX);
    char from[TIME_SIZE] = "0", length[TIME_SIZE];
    const struct run_history_window *window = pen->window;
    const int64_t from_ns = window->start_ns - run_history_whole(pen->history)->start_ns;

    if (from_ns)
        duration_format(from_ns, from, sizeof(from));
    duration_format(window->columns_count * window->column_ns, length, sizeof(length));
    fprintf(pen->out, "%s\n", title);
    for (int i = 0; i < count; i += group)
        if (group == 1)
            draw_processor(pen, numbers[i]);
        else
            draw_group(pen, numbers, i, (int)min_i64(count, i + group));
    draw_sums(pen);
    fprintf(pen->out, "%*s%s%-*s%s\n", LABEL_WIDTH, "", from_ns ? "+" : "",
            (int)max_i64(1, columns_drawn(window) - !!from_ns - (int64_t)strlen(length)), from,
            length);
}

static void draw_legend(const struct pen *pen)
{
    const int rows_count = run_history_rows(pen->history);
    int numbers[MACHINE_PROCESSORS_MAX];

    if (run_history_processors(pen->history, numbers) > LINES_MAX)
        fputs("cpu lines: tenths of their time that threads ran, * all, . none\n", pen->out);
    for (int row = 0; row < rows_count && row < NAMED_MAX; row++)
        fprintf(pen->out, "%s%c %s", row ? ", " : "", glyph(SYMBOL_THREADS + row),
                run_history_label(pen->history, row));
    if (rows_count > NAMED_MAX)
        fprintf(pen->out, " and %d more", rows_count - NAMED_MAX);
    fputs("\n.: idle, #: other programs had the processor while threads waited in the run queue\n"
          "queued, moves: how many, * for ten and more\n",
          pen->out);
}

static void draw_all(struct pen *pen, const char *title)
{
    const struct run_history_window *whole = run_history_whole(pen->history);
    const struct run_history_window *detail = run_history_detail(pen->history);

    fprintf(pen->out, "%s, moves: %lld\n\n", title, (long long)run_history_moves(pen->history));
    if (!whole->columns_count) {
        fputs(CHART_EMPTY "\n", pen->out);
        return;
    }
    pen->window = whole;
    draw_window(pen, "The whole run");
    if (detail->columns_count && whole->column_ns > detail->column_ns) {
        fputc('\n', pen->out);
        pen->window = detail;
        draw_window(pen, "A part of it");
    }
    fputc('\n', pen->out);
    draw_legend(pen);
}

int chart_write_text(const struct run_history *history, const char *title, FILE *out)
{
    const size_t rows_count = (size_t)run_history_rows(history);
    struct pen pen = {
        .history = history,
        .use.threads = calloc(rows_count + 1, sizeof(double)),
        .credits = calloc(rows_count + SYMBOL_THREADS, sizeof(double)),
        .out = out,
    };
    const bool ready = pen.use.threads && pen.credits;

    if (ready)
        draw_all(&pen, title);
    free(pen.use.threads);
    free(pen.credits);
    return ready ? 0 : -ENOMEM;
}
