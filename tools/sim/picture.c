/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/picture.h"

#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

enum {
    LETTERS_COUNT = sizeof(letters) - 1,
    SYMBOL_IDLE = -1,
    SYMBOL_WAITING = -2, /* at a barrier, without sleeping */
    SYMBOL_HOG = -3,
    EXTRAS_COUNT = 3,
    LABEL_WIDTH = 6,
};

/* Bright ones of a terminal's 256 colors; neighbors in this list differ clearly. */
static const int colors[] = {203, 78, 75, 221, 177, 80, 215, 150, 111, 211, 186, 141};

/* Each symbol has a credit in each row: the time that it got minus the time that was drawn. A
 * column shows the symbol with the largest credit, so rounding errors cancel along the row. */
struct row {
    int column;      /* the column to which time is added */
    double *credits; /* EXTRAS_COUNT + threads_count */
    int *symbols;    /* by column: a thread, or one of SYMBOL_* */
};

struct picture {
    int64_t total_ns;
    int columns_count;
    int processors_count;
    int threads_count;
    struct row *rows;
};

static double column_end_ns(const struct picture *picture, int column)
{
    return (double)picture->total_ns * (column + 1) / picture->columns_count;
}

static void credit(struct row *row, int symbol, double time_ns)
{
    row->credits[symbol + EXTRAS_COUNT] += time_ns;
}

static void column_finish(const struct picture *picture, struct row *row)
{
    int best = SYMBOL_IDLE;

    for (int symbol = -EXTRAS_COUNT; symbol < picture->threads_count; symbol++)
        if (row->credits[symbol + EXTRAS_COUNT] > row->credits[best + EXTRAS_COUNT])
            best = symbol;
    credit(row, best, -(double)picture->total_ns / picture->columns_count);
    row->symbols[row->column++] = best;
}

static int symbol_of(const struct picture *picture, const struct rig *rig, int task)
{
    if (task >= picture->threads_count)
        return SYMBOL_HOG;
    return rig_task(rig, task)->state == TASK_COMPUTING ? task : SYMBOL_WAITING;
}

static void credit_queue(const struct picture *picture, const struct rig *rig, int processor,
                         double time_ns)
{
    const struct runqueue *queue = rig_queue(rig, processor);
    struct row *row = &picture->rows[processor];

    if (queue->count == 0)
        credit(row, SYMBOL_IDLE, time_ns);
    for (int i = queue->first; i != TASK_NONE; i = rig_task(rig, i)->next)
        credit(row, symbol_of(picture, rig, i), time_ns * rig_share(rig, i));
}

static void span(void *context, const struct rig *rig, int processor, int64_t from_ns)
{
    const struct picture *picture = context;
    struct row *row = &picture->rows[processor];
    const double to_ns = (double)rig_now_ns(rig);
    double at_ns = (double)from_ns;

    while (row->column < picture->columns_count && at_ns < to_ns) {
        const double end_ns = column_end_ns(picture, row->column);
        const double stop_ns = to_ns < end_ns ? to_ns : end_ns;

        credit_queue(picture, rig, processor, stop_ns - at_ns);
        if (stop_ns >= end_ns)
            column_finish(picture, row);
        at_ns = stop_ns;
    }
}

struct rig_observer picture_observer(struct picture *picture)
{
    return (struct rig_observer){.context = picture, .span = span};
}

/* ---- printing ---- */

static char glyph(int symbol)
{
    switch (symbol) {
    case SYMBOL_IDLE:
        return '.';
    case SYMBOL_WAITING:
        return '~';
    case SYMBOL_HOG:
        return '#';
    default:
        return letters[symbol % LETTERS_COUNT];
    }
}

static void print_symbol(int symbol, bool colored, FILE *out)
{
    if (colored && symbol >= 0)
        fprintf(out, "\033[38;5;%dm%c\033[0m", colors[(size_t)symbol % ARRAY_COUNT(colors)],
                glyph(symbol));
    else
        fputc(glyph(symbol), out);
}

void picture_print(const struct picture *picture, const char *title, bool colored, FILE *out)
{
    fprintf(out, "%s\n", title);
    for (int i = 0; i < picture->processors_count; i++) {
        fprintf(out, "  P%-*d", LABEL_WIDTH - 3, i);
        for (int j = 0; j < picture->rows[i].column; j++)
            print_symbol(picture->rows[i].symbols[j], colored, out);
        fputc('\n', out);
    }
    fprintf(out, "%*s0%*s\n", LABEL_WIDTH, "", picture->columns_count - 1,
            IN_WORDS(picture->total_ns));
}

void picture_print_legend(const struct scenario *scenario, FILE *out)
{
    const int last = scenario->threads_count - 1;

    fputs("A", out);
    if (last > 0 && last < LETTERS_COUNT)
        fprintf(out, " to %c", letters[last]);
    else if (last > 0)
        fputs(" and so on", out);
    fprintf(out, ": threads computing, .: idle%s%s\n",
            scenario->barrier == BARRIER_BLOCK ? "" : ", ~: waiting at the barrier",
            scenario->hogs.count ? ", #: hogs" : "");
}

/* ---- create, destroy ---- */

int picture_create(const struct scenario *scenario, int64_t total_ns, int columns_count,
                   struct picture **picture)
{
    struct picture *made = calloc(1, sizeof(*made));

    if (!made)
        return -ENOMEM;
    made->total_ns = total_ns;
    made->columns_count = columns_count;
    made->threads_count = scenario->threads_count;
    made->rows = calloc((size_t)scenario->machine.processors_count, sizeof(*made->rows));
    if (!made->rows)
        goto fail;
    made->processors_count = scenario->machine.processors_count;
    for (int i = 0; i < made->processors_count; i++) {
        struct row *row = &made->rows[i];

        row->credits = calloc((size_t)scenario->threads_count + EXTRAS_COUNT,
                              sizeof(*row->credits));
        row->symbols = calloc((size_t)columns_count, sizeof(*row->symbols));
        if (!row->credits || !row->symbols)
            goto fail;
    }
    *picture = made;
    return 0;
fail:
    picture_destroy(made);
    return -ENOMEM;
}

void picture_destroy(struct picture *picture)
{
    if (!picture)
        return;
    for (int i = 0; i < picture->processors_count; i++) {
        free(picture->rows[i].symbols);
        free(picture->rows[i].credits);
    }
    free(picture->rows);
    free(picture);
}
