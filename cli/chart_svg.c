/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/chart.h"
#include "cli/palette.h"
#include "cli/svg.h"

#include "libjuggle/wish/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    LABEL_WIDTH_MIN = 60,
    CHARACTER_WIDTH = 7, /* of most characters it is less */
    MARGIN = 16,
    PLOT_WIDTH = 1024,
    LINE_HEIGHT = 16,
    PROCESSORS_HEIGHT = 320, /* of all lines together, at most */
    THREADS_HEIGHT = 480,
    LINE_MAX = 24,
    LINE_MIN = 2,
    LABELED_MIN = 10, /* if lines are lower, only some have a label */
    CELLS_MAX = 8000,
    COLUMNS_MIN = 64,
    DEED_STEPS = 8,
    LEGEND_COLUMNS = 4,
    TICKS_MAX = 12,
    TICK_HEIGHT = 4,
    TIME_SIZE = 32,
};

static const char *const color_others = "#555";
static const char *const color_rest = "#999";
static const char *const color_queue = "#f7cfc9";
static const char *const color_barrier = "#d9d9d9";
static const char *const color_frame = "#aaa";

struct sheet {
    const struct run_history *history;
    FILE *out;
    int left; /* of the plots, right of the labels */
    int y;    /* the next thing goes here */
    int numbers[MACHINE_PROCESSORS_MAX];
    int processors_count;
    struct chart_use use;
};

/* ---- a panel ---- */

struct panel {
    const struct run_history_window *window;
    int columns_count;
    int line_height;
};

static double column_x(const struct sheet *sheet, const struct panel *panel, int at)
{
    return sheet->left + (double)PLOT_WIDTH * at / panel->columns_count;
}

/* Fills a part of the line in columns [first, end): `share` of its height, above the part `from`.
 */
static void print_cell(const struct sheet *sheet, const struct panel *panel, int first, int end,
                       double from, double share, const char *color)
{
    const double height = panel->line_height - 1, x = column_x(sheet, panel, first);

    svg_rect(sheet->out, x, sheet->y + height * (1 - from - share), column_x(sheet, panel, end) - x,
             height * share, color);
}

static struct panel panel_make(const struct run_history_window *window, int lines_count, int height)
{
    const int fitting = CELLS_MAX / (lines_count > 0 ? lines_count : 1);
    const int columns = (int)clamp_i64(fitting, COLUMNS_MIN, RUN_HISTORY_COLUMNS);

    return (struct panel){
        .window = window,
        .columns_count = (int)min_i64(columns, window->columns_count),
        .line_height = (int)clamp_i64(height / (lines_count > 0 ? lines_count : 1), LINE_MIN,
                                      LINE_MAX),
    };
}

/* One, two or five times a power of ten, so that a length has at most TICKS_MAX ticks. */
static int64_t tick_step_ns(int64_t length_ns)
{
    static const int64_t factors[] = {1, 2, 5};

    for (int64_t decade_ns = 1;; decade_ns *= 10)
        for (size_t i = 0; i < ARRAY_COUNT(factors); i++)
            if (length_ns <= factors[i] * decade_ns * TICKS_MAX)
                return factors[i] * decade_ns;
}

/* Prints an axis with times since the run began. */
static void print_axis(struct sheet *sheet, const struct run_history_window *window)
{
    const int64_t from_ns = window->start_ns - run_history_whole(sheet->history)->start_ns;
    const int64_t length_ns = window->columns_count * window->column_ns;
    const int64_t step_ns = tick_step_ns(length_ns);
    char time[TIME_SIZE] = "0";

    svg_rect(sheet->out, sheet->left, sheet->y, PLOT_WIDTH, 1, color_frame);
    for (int64_t at_ns = (from_ns + step_ns - 1) / step_ns * step_ns; at_ns <= from_ns + length_ns;
         at_ns += step_ns) {
        const double share = (double)(at_ns - from_ns) / (double)length_ns;
        const int x = sheet->left + (int)(PLOT_WIDTH * share);

        svg_rect(sheet->out, x, sheet->y, 1, TICK_HEIGHT, color_frame);
        if (at_ns)
            duration_format(at_ns, time, sizeof(time));
        svg_text(sheet->out, x, sheet->y + LINE_HEIGHT, "middle", time);
    }
    sheet->y += 3 * LINE_HEIGHT;
}

/* If lines are low, only as many have labels as fit. */
static bool is_labeled(const struct panel *panel, int line)
{
    const int every = ceil_div(LABELED_MIN, panel->line_height);

    return line % every == 0;
}

static void print_label(const struct sheet *sheet, const struct panel *panel, int line,
                        const char *label)
{
    if (is_labeled(panel, line))
        svg_text(sheet->out, sheet->left - MARGIN / 2,
                 sheet->y + panel->line_height / 2 + LABELED_MIN / 2 - 1, "end", label);
}

/* ---- processors: which threads had them ---- */

/* Successive columns in which one thread ran alone become one rectangle. */
struct rectangle {
    int row; /* -1: none */
    int first;
};

static void rectangle_end(const struct sheet *sheet, const struct panel *panel,
                          struct rectangle *rectangle, int end)
{
    char color[PALETTE_COLOR_SIZE];

    if (rectangle->row >= 0)
        print_cell(sheet, panel, rectangle->first, end, 0, 1, palette_color(rectangle->row, color));
    rectangle->row = -1;
}

static int sole_owner(const struct sheet *sheet)
{
    const double alone = 0.97;

    for (int row = 0; row < run_history_rows(sheet->history); row++)
        if (sheet->use.threads[row] > alone)
            return row;
    return -1;
}

static double print_share(const struct sheet *sheet, const struct panel *panel, int at, double from,
                          double share, const char *color)
{
    const double least = 0.02;

    if (share >= least)
        print_cell(sheet, panel, at, at + 1, from, share, color);
    return from + share;
}

/* Shares are stacked; the rest on top was idle. */
static void print_shares(const struct sheet *sheet, const struct panel *panel, int at)
{
    char color[PALETTE_COLOR_SIZE];
    double from = 0;

    for (int row = 0; row < run_history_rows(sheet->history); row++)
        if (sheet->use.threads[row] > 0)
            from = print_share(sheet, panel, at, from, sheet->use.threads[row],
                               palette_color(row, color));
    from = print_share(sheet, panel, at, from, sheet->use.rest, color_rest);
    print_share(sheet, panel, at, from, sheet->use.others, color_others);
}

static void print_processor(struct sheet *sheet, const struct panel *panel, int number)
{
    struct rectangle rectangle = {.row = -1};

    for (int at = 0; at < panel->columns_count; at++) {
        chart_use(sheet->history, panel->window, number, at, panel->columns_count, &sheet->use);
        const int owner = sole_owner(sheet);
        if (owner != rectangle.row)
            rectangle_end(sheet, panel, &rectangle, at);
        if (owner >= 0 && rectangle.row < 0)
            rectangle = (struct rectangle){owner, at};
        else if (owner < 0)
            print_shares(sheet, panel, at);
    }
    rectangle_end(sheet, panel, &rectangle, panel->columns_count);
}

static void print_moves(struct sheet *sheet, const struct panel *panel)
{
    for (int at = 0; at < panel->columns_count; at++) {
        int moves_count = 0;

        for (int i = chart_column(panel->window, at, panel->columns_count);
             i < chart_column(panel->window, at + 1, panel->columns_count); i++)
            moves_count += panel->window->moves[i];
        if (moves_count)
            svg_rect(sheet->out, column_x(sheet, panel, at), sheet->y + 2, 1, LINE_HEIGHT / 2.0,
                     "#000");
    }
    svg_text(sheet->out, sheet->left - MARGIN / 2, sheet->y + LABELED_MIN, "end", "moves");
    sheet->y += LINE_HEIGHT;
}

static void print_processors(struct sheet *sheet, const struct run_history_window *window,
                             const char *title)
{
    const struct panel panel = panel_make(window, sheet->processors_count, PROCESSORS_HEIGHT);
    char label[TIME_SIZE];

    svg_text(sheet->out, sheet->left, sheet->y, "start", title);
    sheet->y += LINE_HEIGHT / 2;
    for (int i = 0; i < sheet->processors_count; i++) {
        snprintf(label, sizeof(label), "cpu %d", sheet->numbers[i]);
        print_label(sheet, &panel, i, label);
        print_processor(sheet, &panel, sheet->numbers[i]);
        sheet->y += panel.line_height;
    }
    print_moves(sheet, &panel);
    print_axis(sheet, window);
}

/* ---- threads: what they did ---- */

/* Shares of the time of some columns, in steps that a line can show. The thread slept the rest of
 * the time. */
struct deed {
    int run, queue, barrier;
};

static struct deed deed_of(const struct run_history_window *window, int row, int first, int end)
{
    const double width_ns = (double)(end - first) * (double)window->column_ns;
    double run_ns = 0, queue_ns = 0, barrier_ns = 0;

    for (int column = first; column < end; column++) {
        const struct run_history_cell *cell = &window->threads[row][column];
        run_ns += (double)cell->run_ns;
        queue_ns += (double)cell->queue_ns;
        barrier_ns += (double)cell->barrier_ns;
    }
    /* A thread that spins and says that it waits is running, but does no work. */
    const double worked_ns = run_ns > barrier_ns ? run_ns - barrier_ns : 0;
    return (struct deed){
        .run = (int)(worked_ns / width_ns * DEED_STEPS + 0.5),
        .queue = (int)(queue_ns / width_ns * DEED_STEPS + 0.5),
        .barrier = (int)(barrier_ns / width_ns * DEED_STEPS + 0.5),
    };
}

static int print_part(const struct sheet *sheet, const struct panel *panel, const int columns[2],
                      int from, int steps, const char *color)
{
    const int fitting = steps < DEED_STEPS - from ? steps : DEED_STEPS - from;

    if (fitting > 0)
        print_cell(sheet, panel, columns[0], columns[1], (double)from / DEED_STEPS,
                   (double)fitting / DEED_STEPS, color);
    return from + fitting;
}

static void print_deed(const struct sheet *sheet, const struct panel *panel, int row,
                       const struct deed *deed, const int columns[2])
{
    char color[PALETTE_COLOR_SIZE];
    int from = print_part(sheet, panel, columns, 0, deed->run, palette_color(row, color));

    from = print_part(sheet, panel, columns, from, deed->barrier, color_barrier);
    print_part(sheet, panel, columns, from, deed->queue, color_queue);
}

static bool deeds_equal(const struct deed *a, const struct deed *b)
{
    return a->run == b->run && a->queue == b->queue && a->barrier == b->barrier;
}

static void print_thread(struct sheet *sheet, const struct panel *panel, int row)
{
    struct deed before = {0};
    int columns[2] = {0};

    for (int at = 0; at < panel->columns_count; at++) {
        const int first = chart_column(panel->window, at, panel->columns_count);
        const int end = chart_column(panel->window, at + 1, panel->columns_count);
        const struct deed deed = deed_of(panel->window, row, first, end);

        if (deeds_equal(&deed, &before))
            continue;
        columns[1] = at;
        print_deed(sheet, panel, row, &before, columns);
        before = deed;
        columns[0] = at;
    }
    columns[1] = panel->columns_count;
    print_deed(sheet, panel, row, &before, columns);
}

static void print_threads(struct sheet *sheet, const struct run_history_window *window)
{
    const int rows_count = run_history_rows(sheet->history);
    const struct panel panel = panel_make(window, rows_count, THREADS_HEIGHT);

    svg_text(sheet->out, sheet->left, sheet->y, "start", "What each thread did then");
    sheet->y += LINE_HEIGHT / 2;
    for (int row = 0; row < rows_count; row++) {
        /* A browser shows the name when the pointer is on the line, also if there is no room for a
         * label. */
        fputs("<g><title>", sheet->out);
        svg_escaped(sheet->out, run_history_label(sheet->history, row));
        fputs("</title>\n", sheet->out);
        print_label(sheet, &panel, row, run_history_label(sheet->history, row));
        print_thread(sheet, &panel, row);
        fputs("</g>\n", sheet->out);
        sheet->y += panel.line_height;
    }
    print_axis(sheet, window);
}

static void print_legend(struct sheet *sheet)
{
    char color[PALETTE_COLOR_SIZE];
    const struct {
        const char *color, *text;
    } entries[] = {
        {palette_color(0, color), "a thread works, in its color"},
        {color_queue, "waits in the run queue"},
        {color_barrier, "says that it waits"},
        {"#fff", "sleeps, or no thread is there"},
        {color_others, "other programs ran while threads waited in the run queue"},
    };
    const int width = PLOT_WIDTH / LEGEND_COLUMNS;

    for (int i = 0; i < (int)ARRAY_COUNT(entries); i++) {
        const int x = sheet->left + i % LEGEND_COLUMNS * width;
        if (i && i % LEGEND_COLUMNS == 0)
            sheet->y += LINE_HEIGHT;
        svg_rect(sheet->out, x - 1, sheet->y - 1, LABELED_MIN + 2, LABELED_MIN + 2, color_frame);
        svg_rect(sheet->out, x, sheet->y, LABELED_MIN, LABELED_MIN, entries[i].color);
        svg_text(sheet->out, x + LINE_HEIGHT, sheet->y + LABELED_MIN - 1, "start", entries[i].text);
    }
    sheet->y += LINE_HEIGHT;
}

/* ---- the sheet ---- */

static int lines_height(int lines_count, int height)
{
    return lines_count *
           panel_make(&(struct run_history_window){.columns_count = 1}, lines_count, height)
               .line_height;
}

static int panels_height(const struct sheet *sheet, bool detailed)
{
    const int processors = 5 * LINE_HEIGHT +
                           lines_height(sheet->processors_count, PROCESSORS_HEIGHT);
    const int threads = 4 * LINE_HEIGHT +
                        lines_height(run_history_rows(sheet->history), THREADS_HEIGHT);

    return 4 * LINE_HEIGHT + (detailed ? 2 : 1) * processors + threads;
}

/* Room for the longest name. */
static int labels_width(const struct run_history *history)
{
    int width = LABEL_WIDTH_MIN;

    for (int row = 0; row < run_history_rows(history); row++)
        width = (int)max_i64(width,
                             (int64_t)strlen(run_history_label(history, row)) * CHARACTER_WIDTH);
    return width;
}

static void print_head(const struct sheet *sheet, const char *title, int height)
{
    const int width = sheet->left + PLOT_WIDTH + 2 * MARGIN;

    fprintf(sheet->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"11\" shape-rendering=\"crispEdges\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, height, width);
    fprintf(sheet->out, "<text x=\"%d\" y=\"%d\" font-size=\"14\">", MARGIN, LINE_HEIGHT + 2);
    svg_escaped(sheet->out, title);
    fprintf(sheet->out, ", moves: %lld</text>\n", (long long)run_history_moves(sheet->history));
}

static void print_panels(struct sheet *sheet, bool detailed)
{
    const struct run_history_window *whole = run_history_whole(sheet->history);
    const struct run_history_window *detail = run_history_detail(sheet->history);

    print_processors(sheet, whole, "The whole run: who had the processors");
    if (detailed)
        print_processors(sheet, detail, "A part of it");
    print_threads(sheet, detailed ? detail : whole);
    print_legend(sheet);
}

int chart_write_svg(const struct run_history *history, const char *title, FILE *out)
{
    const struct run_history_window *whole = run_history_whole(history);
    const struct run_history_window *detail = run_history_detail(history);
    const bool detailed = detail->columns_count && whole->column_ns > detail->column_ns;
    struct sheet sheet = {
        .history = history,
        .out = out,
        .left = MARGIN + labels_width(history),
        .y = 3 * LINE_HEIGHT,
        .use.threads = calloc((size_t)run_history_rows(history) + 1, sizeof(double)),
    };

    if (!sheet.use.threads)
        return -ENOMEM;
    sheet.processors_count = run_history_processors(history, sheet.numbers);
    if (whole->columns_count) {
        print_head(&sheet, title, panels_height(&sheet, detailed));
        print_panels(&sheet, detailed);
    } else {
        print_head(&sheet, title, 4 * LINE_HEIGHT);
        svg_text(sheet.out, MARGIN, sheet.y, "start", CHART_EMPTY);
    }
    fputs("</svg>\n", out);
    free(sheet.use.threads);
    return 0;
}
