/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/chart.h"

#include <string.h>

int chart_column(const struct run_history_window *window, int at, int count)
{
    return (int)((int64_t)window->columns_count * at / count);
}

/* Adds the times that threads ran on the processor in a column. Returns their sum. A thread that
 * ran on two processors within the column counts for one of them. */
static double threads_add(const struct run_history *history,
                          const struct run_history_window *window, int number, int column,
                          double *threads)
{
    double sum_ns = 0;

    for (int row = 0; row < run_history_rows(history); row++) {
        const struct run_history_cell *cell = &window->threads[row][column];
        if (cell->run_ns <= 0 || cell->processor != number)
            continue;
        threads[row] += (double)cell->run_ns;
        sum_ns += (double)cell->run_ns;
    }
    return sum_ns;
}

void chart_use(const struct run_history *history, const struct run_history_window *window,
               int number, int at, int count, struct chart_use *use)
{
    const int first = chart_column(window, at, count), end = chart_column(window, at + 1, count);
    const double width_ns = (double)(end - first) * (double)window->column_ns;
    double run_ns = 0, queue_ns = 0, named_ns = 0;

    memset(use->threads, 0, (size_t)run_history_rows(history) * sizeof(*use->threads));
    for (int column = first; column < end; column++) {
        run_ns += (double)window->processors[number][column].run_ns;
        queue_ns += (double)window->processors[number][column].queue_ns;
        named_ns += threads_add(history, window, number, column, use->threads);
    }
    const double run = run_ns < width_ns ? run_ns / width_ns : 1;
    const double scale = named_ns > 0 ? run / named_ns : 0;
    for (int row = 0; row < run_history_rows(history); row++)
        use->threads[row] *= scale;
    use->rest = named_ns > 0 ? 0 : run;
    use->others = queue_ns / width_ns < 1 - run ? queue_ns / width_ns : 1 - run;
    use->idle = 1 - run - use->others;
}
