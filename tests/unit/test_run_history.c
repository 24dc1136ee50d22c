/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/chance.h"

#include "cli/chart.h"
#include "libjuggle/engine/run_history.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 400, PROCESSORS = 2, FAR_CPU = 7 };

static struct machine machine;
static struct run_history *history;
static struct sample clocks[THREADS_MAX]; /* the threads' counters at the moment */
static int64_t now_ns;

static void setup(void)
{
    memset(clocks, 0, sizeof(clocks));
    machine = (struct machine){.processors_count = PROCESSORS, .domains_count = 1};
    machine.processors[1].os_index = FAR_CPU;
    now_ns = NSEC_PER_SEC;
    ck_assert_int_eq(run_history_create(&machine, THREADS_MAX, &history), 0);
}

static void teardown(void)
{
    run_history_destroy(history);
}

static void add(enum event_type type, int subject, const struct sample *samples, int samples_count,
                struct move *moves, int moves_count)
{
    const struct event event = {.type = type,
                                .subject = subject,
                                .now_ns = now_ns,
                                .samples = samples,
                                .samples_count = samples_count};
    const struct plan plan = {.moves = moves, .moves_count = moves_count};

    run_history_add(history, &event, &plan);
}

static void arrive(int thread)
{
    clocks[thread] = (struct sample){.thread = thread, .now_ns = now_ns, .processor = -1};
    add(EVENT_THREAD_ARRIVED, thread, &clocks[thread], 1, NULL, 0);
}

/* Time passes in which the thread ran on that processor and waited in its run queue. */
static void live(int thread, int processor, int64_t time_ns, int64_t run_ns, int64_t wait_ns)
{
    now_ns += time_ns;
    clocks[thread].now_ns = now_ns;
    clocks[thread].run_ns += run_ns;
    clocks[thread].wait_ns += wait_ns;
    clocks[thread].processor = processor;
    add(EVENT_PERIOD, -1, &clocks[thread], 1, NULL, 0);
}

static double sum_run_ns(const struct run_history_window *window, int row)
{
    double sum_ns = 0;

    for (int column = 0; column < RUN_HISTORY_COLUMNS; column++)
        sum_ns += (double)window->threads[row][column].run_ns;
    return sum_ns;
}

static void ck_near(double found, double expected)
{
    ck_assert_msg(fabs(found - expected) <= 1e-4 * fabs(expected) + 1, "%.0f, not %.0f", found,
                  expected);
}

START_TEST(no_time_is_lost_when_columns_widen)
{
    const int64_t step_ns = 3 * NSEC_PER_MSEC;

    setup();
    arrive(0);
    for (int i = 0; i < 5000; i++) {
        live(0, i % 2, step_ns, step_ns / 2, step_ns / 4);
        const struct run_history_window *whole = run_history_whole(history);
        ck_assert_int_ge(RUN_HISTORY_COLUMNS, whole->columns_count);
        if (i % 500 == 0)
            ck_near(sum_run_ns(whole, 0), (double)(i + 1) * (double)step_ns / 2);
    }
    const struct run_history_window *whole = run_history_whole(history);
    ck_assert_int_ge(whole->columns_count, RUN_HISTORY_COLUMNS / 2);
    ck_near(sum_run_ns(whole, 0), 5000.0 * (double)step_ns / 2);
    teardown();
}

START_TEST(processors_have_the_kernels_numbers)
{
    int numbers[MACHINE_PROCESSORS_MAX];

    setup();
    arrive(0);
    live(0, 1, NSEC_PER_MSEC, NSEC_PER_MSEC, 0);
    ck_assert_int_eq(run_history_processors(history, numbers), 1);
    ck_assert_int_eq(numbers[0], FAR_CPU);
    ck_assert_int_eq(run_history_whole(history)->threads[0][0].processor, FAR_CPU);
    teardown();
}

/* A recording may contain any number, and a cell has 16 bits for it. */
START_TEST(processors_with_very_high_numbers_are_not_drawn)
{
    const int numbers[] = {1 << 16, 1 << 30, INT_MAX, INT_MIN};
    int found[MACHINE_PROCESSORS_MAX];

    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
        setup();
        run_history_destroy(history);
        machine.processors[1].os_index = numbers[i];
        ck_assert_int_eq(run_history_create(&machine, THREADS_MAX, &history), 0);
        arrive(0);
        live(0, 1, NSEC_PER_MSEC, NSEC_PER_MSEC, 0);
        ck_assert_int_eq(run_history_processors(history, found), 0);
        ck_assert_int_eq(run_history_whole(history)->threads[0][0].processor, -1);
        teardown();
    }
}

START_TEST(a_wait_that_is_counted_late_lies_before)
{
    setup();
    arrive(0);
    live(0, 0, 10 * NSEC_PER_MSEC, 0, 0);
    live(0, 0, 2 * NSEC_PER_MSEC, 2 * NSEC_PER_MSEC, 6 * NSEC_PER_MSEC);

    const struct run_history_cell *cells = run_history_detail(history)->threads[0];
    double queue_ns = 0;
    for (int column = 0; column < 4; column++)
        ck_near((double)cells[column].queue_ns, 0);
    for (int column = 4; column < 12; column++)
        queue_ns += (double)cells[column].queue_ns;
    ck_near(queue_ns, 6.0 * (double)NSEC_PER_MSEC);
    teardown();
}

START_TEST(the_detail_is_half_a_second_of_the_middle)
{
    setup();
    arrive(0);
    for (int i = 0; i < 10000; i++)
        live(0, 0, NSEC_PER_MSEC, NSEC_PER_MSEC, 0);

    const struct run_history_window *detail = run_history_detail(history);
    ck_assert_int_eq(detail->columns_count, RUN_HISTORY_COLUMNS);
    ck_assert_int_eq(detail->column_ns, NSEC_PER_MSEC);
    ck_near(sum_run_ns(detail, 0), RUN_HISTORY_COLUMNS * (double)NSEC_PER_MSEC);
    ck_assert_int_ge(detail->start_ns, NSEC_PER_SEC + 2 * NSEC_PER_SEC);
    ck_assert_int_le(detail->start_ns, NSEC_PER_SEC + 8 * NSEC_PER_SEC);
    teardown();
}

START_TEST(moves_are_counted_but_first_placements)
{
    struct move first = {.thread = 0, .from = -1, .to = 0},
                open = {.thread = 0, .from = 0, .to = 0};
    struct move move = {.thread = 0, .from = 0, .to = 1};

    setup();
    arrive(0);
    add(EVENT_START, -1, NULL, 0, &first, 1);
    add(EVENT_PERIOD, -1, NULL, 0, &open, 1);
    ck_assert_int_eq(run_history_moves(history), 0);
    add(EVENT_PERIOD, -1, NULL, 0, &move, 1);
    ck_assert_int_eq(run_history_moves(history), 1);
    ck_assert_int_eq(run_history_whole(history)->moves[0], 1);
    teardown();
}

START_TEST(a_slot_that_is_given_again_is_another_thread)
{
    setup();
    arrive(3);
    run_history_name(history, 3, "old");
    live(3, 0, NSEC_PER_MSEC, NSEC_PER_MSEC, 0);
    arrive(3);
    run_history_name(history, 3, "new");
    ck_assert_int_eq(run_history_rows(history), 2);
    ck_assert_str_eq(run_history_label(history, 0), "old");
    ck_assert_str_eq(run_history_label(history, 1), "new");
    ck_near(sum_run_ns(run_history_whole(history), 1), 0);
    teardown();
}

/* As when the machine has grown: all threads exit, and arrive again in another order. */
START_TEST(who_comes_back_goes_on_in_its_row)
{
    setup();
    for (int i = 0; i < 2; i++) {
        arrive(i);
        run_history_name(history, i, i ? "one" : "zero");
        live(i, 0, NSEC_PER_MSEC, NSEC_PER_MSEC, 0);
    }
    for (int i = 0; i < 2; i++)
        add(EVENT_THREAD_EXITED, i, NULL, 0, NULL, 0);
    run_history_renew(history, &machine);
    for (int i = 0; i < 2; i++) {
        arrive(i);
        run_history_name(history, i, i ? "zero" : "one");
        live(i, 1, NSEC_PER_MSEC, NSEC_PER_MSEC, 0);
    }
    ck_assert_int_eq(run_history_rows(history), 2);
    ck_assert_str_eq(run_history_label(history, 0), "zero");
    ck_near(sum_run_ns(run_history_whole(history), 0), 2 * (double)NSEC_PER_MSEC);
    ck_near(sum_run_ns(run_history_whole(history), 1), 2 * (double)NSEC_PER_MSEC);
    arrive(2);
    run_history_name(history, 2, "zero");
    ck_assert_int_eq(run_history_rows(history), 3);
    teardown();
}

START_TEST(more_threads_than_rows_count_for_processors)
{
    setup();
    for (int thread = 0; thread < THREADS_MAX; thread++)
        arrive(thread);
    ck_assert_int_eq(run_history_rows(history), RUN_HISTORY_ROWS_MAX);
    live(THREADS_MAX - 1, 0, NSEC_PER_MSEC, NSEC_PER_MSEC, 0);
    double run_ns = 0;
    for (int column = 0; column < RUN_HISTORY_COLUMNS; column++)
        run_ns += (double)run_history_whole(history)->processors[0][column].run_ns;
    ck_near(run_ns, (double)NSEC_PER_MSEC);
    teardown();
}

START_TEST(events_of_nobody_harm_nothing)
{
    struct sample wild[] = {{.thread = -1}, {.thread = THREADS_MAX}, {.thread = 5, .run_ns = -7}};
    struct move moves[] = {{.thread = -1, .to = 1}, {.thread = THREADS_MAX, .to = 9}};

    setup();
    add(EVENT_PERIOD, -1, wild, 3, moves, 2);
    now_ns -= NSEC_PER_MSEC; /* the clock goes backwards */
    live(5, 77, 0, -5, -5);
    add(EVENT_THREAD_ARRIVED, THREADS_MAX, NULL, 0, NULL, 0);
    ck_assert_int_eq(run_history_rows(history), 0);
    teardown();
}

/* ---- random events ---- */

enum { FEW_THREADS = 6 };

static double sum_queue_ns(const struct run_history_window *window, int row)
{
    double sum_ns = 0;

    for (int column = 0; column < RUN_HISTORY_COLUMNS; column++)
        sum_ns += (double)window->threads[row][column].queue_ns;
    return sum_ns;
}

static bool is_near(double found, double expected)
{
    return fabs(found - expected) <= 1e-3 * fabs(expected) + 1;
}

/* Checks that the columns hold the time that threads ran, and no more than fits; a thread that
 * ran, ran on a processor. */
static void check_window(const struct run_history_window *window)
{
    const double width_ns = 1.001 * (double)window->column_ns;

    ALWAYS(window->columns_count >= 0 && window->columns_count <= RUN_HISTORY_COLUMNS);
    for (int column = 0; column < RUN_HISTORY_COLUMNS; column++) {
        double threads_ns = 0, processors_ns = 0;
        for (int row = 0; row < run_history_rows(history); row++) {
            const struct run_history_cell *cell = &window->threads[row][column];
            ALWAYS(cell->run_ns >= 0 && (double)cell->run_ns <= width_ns);
            ALWAYS(cell->queue_ns >= 0 && (double)cell->queue_ns <= width_ns);
            ALWAYS(cell->barrier_ns >= 0 && (double)cell->barrier_ns <= width_ns);
            ALWAYS(cell->run_ns <= 0 || column < window->columns_count);
            threads_ns += (double)cell->run_ns;
        }
        processors_ns += (double)window->processors[0][column].run_ns;
        processors_ns += (double)window->processors[FAR_CPU][column].run_ns;
        ALWAYS(is_near(processors_ns, threads_ns));
    }
}

static int count_moves(const struct run_history_window *window)
{
    int count = 0;

    for (int column = 0; column < RUN_HISTORY_COLUMNS; column++)
        count += window->moves[column];
    return count;
}

/* After its last look a thread waits in the run queue for a while, which its counter shows when
 * the wait has ended, and then runs, if at all. */
static void live_anyhow(int64_t ran_ns[], int64_t queued_ns[], int64_t untold_ns[])
{
    const int thread = (int)below(FEW_THREADS);
    const int64_t more_ns = one_in(50) ? below(NSEC_PER_SEC) : below(4) * NSEC_PER_MSEC;
    const int64_t time_ns = now_ns + more_ns - clocks[thread].now_ns;
    const int64_t run_ns = below(2) * below(time_ns + 1);
    const int64_t queue_ns = below(time_ns - run_ns + 1);
    struct move move = {.thread = thread, .from = 0, .to = 1};

    untold_ns[thread] += queue_ns;
    const int64_t told_ns = run_ns ? untold_ns[thread] : 0;
    live(thread, (int)below(2), more_ns, run_ns, told_ns);
    untold_ns[thread] -= told_ns;
    ran_ns[thread] += run_ns;
    queued_ns[thread] += told_ns;
    if (one_in(4))
        add(EVENT_PERIOD, -1, NULL, 0, &move, 1);
}

static void live_and_look(void)
{
    int64_t ran_ns[FEW_THREADS] = {0}, queued_ns[FEW_THREADS] = {0}, untold_ns[FEW_THREADS] = {0};
    int64_t before_ns[FEW_THREADS]; /* time in the run queue before the first sample */
    const int events_count = (int)between(1, 400);

    setup();
    for (int thread = 0; thread < FEW_THREADS; thread++) {
        arrive(thread);
        untold_ns[thread] = before_ns[thread] = below(2) * below(50 * NSEC_PER_MSEC);
    }
    for (int i = 0; i < events_count; i++)
        live_anyhow(ran_ns, queued_ns, untold_ns);
    const struct run_history_window *whole = run_history_whole(history);
    check_window(whole);
    check_window(run_history_detail(history));
    for (int thread = 0; thread < FEW_THREADS; thread++) {
        ALWAYS(is_near(sum_run_ns(whole, thread), (double)ran_ns[thread]));
        ALWAYS(sum_queue_ns(whole, thread) <= 1.001 * (double)(queued_ns[thread]) + 1);
        ALWAYS(sum_queue_ns(whole, thread) >=
               0.999 * (double)(queued_ns[thread] - before_ns[thread]) - 1);
    }
    ALWAYS(count_moves(whole) == run_history_moves(history));
    teardown();
}

START_TEST(what_is_drawn_is_what_was)
{
    live_with_seeds(1000, live_and_look);
}

/* ---- pictures ---- */

static char *drawn(chart_writer write, const char *title)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_int_eq(write(history, title, out), 0);
    fclose(out);
    return text;
}

START_TEST(the_text_shows_who_had_a_processor)
{
    setup();
    arrive(0);
    run_history_name(history, 0, "worker 12");
    for (int i = 0; i < 36; i++)
        live(0, 0, NSEC_PER_MSEC, NSEC_PER_MSEC, 0);
    for (int i = 0; i < 36; i++)
        live(0, 1, NSEC_PER_MSEC, NSEC_PER_MSEC / 2, NSEC_PER_MSEC / 2);
    char *text = drawn(chart_write_text, "title");
    ck_assert_ptr_nonnull(strstr(text, "cpu 0   AAAAAAAAAAAA"));
    ck_assert_ptr_nonnull(strstr(text, "............\n  cpu 7   ......"));
    ck_assert_ptr_nonnull(strstr(text, "A#A#A#"));
    ck_assert_ptr_nonnull(strstr(text, "A worker 12"));
    free(text);
    teardown();
}

START_TEST(names_are_escaped_in_svg)
{
    setup();
    arrive(0);
    run_history_name(history, 0, "<a&b>");
    live(0, 0, NSEC_PER_MSEC, NSEC_PER_MSEC, 0);
    char *text = drawn(chart_write_svg, "\"x\" < y");
    ck_assert_ptr_nonnull(strstr(text, "&lt;a&amp;b&gt;"));
    ck_assert_ptr_nonnull(strstr(text, "&lt; y"));
    ck_assert_ptr_null(strstr(text, "<a&"));
    free(text);
    teardown();
}

START_TEST(nothing_at_all_is_a_picture_too)
{
    setup();
    char *text = drawn(chart_write_text, "title");
    ck_assert_ptr_nonnull(strstr(text, "Nothing was balanced"));
    free(text);
    text = drawn(chart_write_svg, "title");
    ck_assert_ptr_nonnull(strstr(text, "</svg>"));
    free(text);
    teardown();
}

START_TEST(the_end_of_a_name_chooses)
{
    setup();
    ck_assert(chart_for("a.svg") == chart_write_svg);
    ck_assert(chart_for("a.b.txt") == chart_write_text);
    ck_assert(!chart_for(".svg"));
    ck_assert(!chart_for("a.png"));
    ck_assert(!chart_for(""));
    teardown();
}

SUITE("run_history")
