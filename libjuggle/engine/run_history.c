/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - windows: columns of time, widened as the run goes on
 * - events: samples and moves become parts of columns
 * - views
 * - create, destroy */
#include "libjuggle/engine/run_history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_COLUMN_NS  (250 * NSEC_PER_USEC) /* at first */
#define DETAIL_COLUMN_NS (1 * NSEC_PER_MSEC)

enum {
    NO_ROW = -1,
    NUMBERS_MAX = 4096, /* kernel's numbers of processors; beyond these none is drawn */
};

/* A thread as it was last sampled. */
struct last_sample {
    int row; /* NO_ROW: there is none left */
    int home;
    int64_t now_ns, run_ns, wait_ns, told_ns; /* now_ns 0: never */
    int64_t since_ns;                         /* when it was first sampled */
};

struct run_history {
    struct machine machine;
    int threads_max;
    bool begun;
    int rows_count;
    int numbers_count; /* processors with lower numbers of the kernel are drawn */
    int64_t moves_count;
    struct run_history_window whole;
    struct run_history_window details[2]; /* the one that fills, and the last that is full */
    int filling;
    bool full;
    char labels[RUN_HISTORY_ROWS_MAX][RUN_HISTORY_LABEL_SIZE];
    bool used[NUMBERS_MAX];
    struct last_sample seen[];
};

/* What a thread did from one sample to the next. */
struct span {
    int row, number;
    int64_t from_ns, to_ns;
    int64_t run_ns, queue_ns, barrier_ns;
};

/* ---- windows ---- */

static int window_create(const struct run_history *history, struct run_history_window *window)
{
    window->threads = calloc(RUN_HISTORY_ROWS_MAX, sizeof(*window->threads));
    window->processors = calloc((size_t)history->numbers_count, sizeof(*window->processors));
    return window->threads && window->processors ? 0 : -ENOMEM;
}

static void window_release(struct run_history_window *window)
{
    free(window->threads);
    free(window->processors);
}

static void window_begin(const struct run_history *history, struct run_history_window *window,
                         int64_t start_ns, int64_t column_ns)
{
    window->start_ns = start_ns;
    window->column_ns = column_ns;
    window->columns_count = 0;
    memset(window->moves, 0, sizeof(window->moves));
    memset(window->threads, 0, (size_t)history->rows_count * sizeof(*window->threads));
    memset(window->processors, 0, (size_t)history->numbers_count * sizeof(*window->processors));
}

static int64_t window_end_ns(const struct run_history_window *window)
{
    return window->start_ns + RUN_HISTORY_COLUMNS * window->column_ns;
}

static struct run_history_cell cells_joined(const struct run_history_cell *a,
                                            const struct run_history_cell *b)
{
    return (struct run_history_cell){
        .run_ns = a->run_ns + b->run_ns,
        .queue_ns = a->queue_ns + b->queue_ns,
        .barrier_ns = a->barrier_ns + b->barrier_ns,
        .processor = a->run_ns >= b->run_ns ? a->processor : b->processor,
    };
}

/* Two columns become one; the upper half is empty then. */
static void window_widen(const struct run_history *history, struct run_history_window *window)
{
    const int half = RUN_HISTORY_COLUMNS / 2;

    for (int row = 0; row < history->rows_count; row++) {
        struct run_history_cell *cells = window->threads[row];
        for (int i = 0; i < half; i++)
            cells[i] = cells_joined(&cells[2 * i], &cells[2 * i + 1]);
        memset(cells + half, 0, (size_t)half * sizeof(*cells));
    }
    for (int number = 0; number < history->numbers_count; number++) {
        struct run_history_processor *cells = window->processors[number];
        for (int i = 0; i < half; i++) {
            cells[i].run_ns = cells[2 * i].run_ns + cells[2 * i + 1].run_ns;
            cells[i].queue_ns = cells[2 * i].queue_ns + cells[2 * i + 1].queue_ns;
        }
        memset(cells + half, 0, (size_t)half * sizeof(*cells));
    }
    for (int i = 0; i < half; i++)
        window->moves[i] = window->moves[2 * i] + window->moves[2 * i + 1];
    memset(window->moves + half, 0, (size_t)half * sizeof(*window->moves));
    window->columns_count = (window->columns_count + 1) / 2;
    window->column_ns *= 2;
}

static void cell_add(struct run_history_window *window, const struct span *span, int column,
                     double part)
{
    const float run_ns = (float)((double)span->run_ns * part);
    const float queue_ns = (float)((double)span->queue_ns * part);

    if (span->number >= 0) {
        window->processors[span->number][column].run_ns += run_ns;
        window->processors[span->number][column].queue_ns += queue_ns;
    }
    if (span->row == NO_ROW)
        return;
    struct run_history_cell *cell = &window->threads[span->row][column];
    if (run_ns > cell->run_ns)
        cell->processor = (int16_t)span->number;
    cell->run_ns += run_ns;
    cell->queue_ns += queue_ns;
    cell->barrier_ns += (float)((double)span->barrier_ns * part);
}

/* The span's times are spread evenly over it; what lies outside of the window is cut off. */
static void window_add(struct run_history_window *window, const struct span *span)
{
    const int64_t from_ns = max_i64(span->from_ns, window->start_ns);
    const int64_t to_ns = min_i64(span->to_ns, window_end_ns(window));
    int64_t at_ns = from_ns;

    while (at_ns < to_ns) {
        const int column = (int)((at_ns - window->start_ns) / window->column_ns);
        const int64_t stop_ns = min_i64(to_ns, window->start_ns + (column + 1) * window->column_ns);

        cell_add(window, span, column,
                 (double)(stop_ns - at_ns) / (double)(span->to_ns - span->from_ns));
        if (window->columns_count <= column)
            window->columns_count = column + 1;
        at_ns = stop_ns;
    }
}

static void window_count_move(struct run_history_window *window, int64_t now_ns)
{
    if (now_ns >= window->start_ns && now_ns < window_end_ns(window))
        window->moves[(now_ns - window->start_ns) / window->column_ns]++;
}

/* ---- events ---- */

/* Recording in detail starts again each time the run has doubled in length: so the detail shows the
 * middle of the run. */
static void windows_advance(struct run_history *history, int64_t now_ns)
{
    struct run_history_window *detail = &history->details[history->filling];

    if (!history->begun) {
        history->begun = true;
        window_begin(history, &history->whole, now_ns, WHOLE_COLUMN_NS);
        window_begin(history, detail, now_ns, DETAIL_COLUMN_NS);
    }
    while (now_ns >= window_end_ns(&history->whole))
        window_widen(history, &history->whole);
    const int64_t age_ns = detail->start_ns - history->whole.start_ns;
    if (now_ns <= window_end_ns(detail) || now_ns - history->whole.start_ns < 2 * age_ns)
        return;
    history->full = true;
    history->filling = !history->filling;
    window_begin(history, &history->details[history->filling], now_ns, DETAIL_COLUMN_NS);
}

/* -1: the machine does not have the processor, or none is drawn with its number. */
static int number_of(const struct run_history *history, int processor)
{
    const bool known = processor >= 0 && processor < history->machine.processors_count;
    const int number = known ? history->machine.processors[processor].os_index : -1;

    return number >= 0 && number < history->numbers_count ? number : -1;
}

static void span_add(struct run_history *history, const struct span *span)
{
    if (span->to_ns <= span->from_ns)
        return;
    if (span->number >= 0)
        history->used[span->number] = true;
    window_add(&history->whole, span);
    window_add(&history->details[history->filling], span);
}

/* A wait in a run queue is counted when it ends, so it may be longer than the time since the last
 * sample. Then it began before that; what was before the first sample is cut off. */
static void sample_add(struct run_history *history, const struct sample *sample)
{
    struct last_sample *seen = &history->seen[sample->thread];
    const int64_t length_ns = sample->now_ns - seen->now_ns;
    const int64_t run_ns = clamp_i64(sample->run_ns - seen->run_ns, 0, length_ns);
    const int64_t queue_ns = sample->wait_ns < 0 ? 0 : max_i64(0, sample->wait_ns - seen->wait_ns);
    const int64_t told_ns = max_i64(0, sample->told_wait_ns - seen->told_ns);
    const int number = number_of(history, sample->processor >= 0 ? sample->processor : seen->home);

    if (seen->now_ns) {
        const int64_t wanted_ns = sample->now_ns - run_ns - queue_ns;
        const int64_t before_ns = max_i64(seen->since_ns, min_i64(seen->now_ns, wanted_ns));

        span_add(history, &(struct span){.row = seen->row,
                                         .number = number,
                                         .from_ns = seen->now_ns,
                                         .to_ns = sample->now_ns,
                                         .run_ns = run_ns,
                                         .barrier_ns = min_i64(told_ns, length_ns)});
        span_add(history,
                 &(struct span){.row = seen->row,
                                .number = number,
                                .from_ns = before_ns,
                                .to_ns = sample->now_ns,
                                .queue_ns = min_i64(queue_ns, sample->now_ns - before_ns)});
    } else {
        seen->since_ns = sample->now_ns;
    }
    seen->now_ns = sample->now_ns;
    seen->run_ns = sample->run_ns;
    seen->wait_ns = max_i64(0, sample->wait_ns);
    seen->told_ns = sample->told_wait_ns;
}

static void thread_exited(struct run_history *history, int thread)
{
    history->seen[thread] = (struct last_sample){.row = NO_ROW, .home = -1};
}

static void thread_arrived(struct run_history *history, int thread)
{
    thread_exited(history, thread);
    if (history->rows_count == RUN_HISTORY_ROWS_MAX)
        return;
    history->seen[thread].row = history->rows_count;
    snprintf(history->labels[history->rows_count], RUN_HISTORY_LABEL_SIZE, "thread %d", thread);
    history->rows_count++;
}

static bool is_thread(const struct run_history *history, int thread)
{
    return thread >= 0 && thread < history->threads_max;
}

void run_history_add(struct run_history *history, const struct event *event,
                     const struct plan *plan)
{
    windows_advance(history, event->now_ns);
    if (event->type == EVENT_THREAD_EXITED && is_thread(history, event->subject))
        thread_exited(history, event->subject);
    if (event->type == EVENT_THREAD_ARRIVED && is_thread(history, event->subject))
        thread_arrived(history, event->subject);
    for (int i = 0; i < event->samples_count; i++)
        if (is_thread(history, event->samples[i].thread))
            sample_add(history, &event->samples[i]);
    for (int i = 0; i < plan->moves_count; i++) {
        const struct move *move = &plan->moves[i];
        if (!is_thread(history, move->thread))
            continue;
        history->seen[move->thread].home = move->to;
        if (move->from < 0 || move->from == move->to)
            continue;
        history->moves_count++;
        window_count_move(&history->whole, event->now_ns);
        window_count_move(&history->details[history->filling], event->now_ns);
    }
}

void run_history_renew(struct run_history *history, const struct machine *machine)
{
    history->machine = *machine;
    for (int thread = 0; thread < history->threads_max; thread++)
        thread_exited(history, thread);
}

static bool has_row(const struct run_history *history, int row)
{
    for (int thread = 0; thread < history->threads_max; thread++)
        if (history->seen[thread].row == row)
            return true;
    return false;
}

/* The row of a thread of that name that is not there now, or NO_ROW. */
static int row_left(const struct run_history *history, const char *label)
{
    for (int row = 0; row < history->rows_count; row++)
        if (!strcmp(history->labels[row], label) && !has_row(history, row))
            return row;
    return NO_ROW;
}

void run_history_name(struct run_history *history, int thread, const char *label)
{
    const int before = row_left(history, label);

    if (!is_thread(history, thread))
        return;
    struct last_sample *seen = &history->seen[thread];
    if (before != NO_ROW) {
        history->rows_count -= seen->row != NO_ROW; /* its own is the last one, and empty */
        seen->row = before;
    } else if (seen->row != NO_ROW) {
        snprintf(history->labels[seen->row], RUN_HISTORY_LABEL_SIZE, "%s", label);
    }
}

/* ---- views ---- */

const struct run_history_window *run_history_whole(const struct run_history *history)
{
    return &history->whole;
}

const struct run_history_window *run_history_detail(const struct run_history *history)
{
    return &history->details[history->full ? !history->filling : history->filling];
}

int run_history_rows(const struct run_history *history)
{
    return history->rows_count;
}

const char *run_history_label(const struct run_history *history, int row)
{
    return history->labels[row];
}

int run_history_processors(const struct run_history *history, int numbers[MACHINE_PROCESSORS_MAX])
{
    int count = 0;

    for (int number = 0; number < history->numbers_count && count < MACHINE_PROCESSORS_MAX;
         number++)
        if (history->used[number])
            numbers[count++] = number;
    return count;
}

int64_t run_history_moves(const struct run_history *history)
{
    return history->moves_count;
}

/* ---- create, destroy ---- */

/* Processors that come online later have numbers above those of today: there is room for twice as
 * many. */
static int numbers_needed(const struct machine *machine)
{
    int highest = 0;

    for (int i = 0; i < machine->processors_count; i++)
        if (machine->processors[i].os_index > highest)
            highest = machine->processors[i].os_index;
    return (int)min_i64(NUMBERS_MAX, 2 * (highest + INT64_C(1)) + machine->processors_count);
}

int run_history_create(const struct machine *machine, int threads_max, struct run_history **result)
{
    const size_t size = sizeof(struct run_history) +
                        (size_t)threads_max * sizeof(struct last_sample);
    struct run_history *history = calloc(1, size);
    int error;

    if (!history)
        return -ENOMEM;
    history->threads_max = threads_max;
    history->numbers_count = numbers_needed(machine);
    run_history_renew(history, machine);
    error = window_create(history, &history->whole);
    for (int i = 0; i < 2 && !error; i++)
        error = window_create(history, &history->details[i]);
    if (error) {
        run_history_destroy(history);
        return error;
    }
    *result = history;
    return 0;
}

void run_history_destroy(struct run_history *history)
{
    if (!history)
        return;
    window_release(&history->whole);
    window_release(&history->details[0]);
    window_release(&history->details[1]);
    free(history);
}
