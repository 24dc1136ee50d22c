/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An iterative program: frames of a view of the Mandelbrot set that drifts slowly. A task is a row.
 * Some rows take far longer than others; each takes nearly its time of the last frame. Compile with
 *     cc -O2 steal-frames.c -o steal-frames $(pkg-config --cflags --libs libjuggle-steal)
 * and run as
 *     mpirun -n 4 ./steal-frames [LEDGER]
 * The file LEDGER keeps the durations of rows: a run on any number of ranks begins balanced by it.
 */
#include <inttypes.h>
#include <juggle/steal.h>
#include <stdio.h>

enum { FRAMES = 6, ROWS = 240, COLUMNS = 320, STEPS = 400 };

struct picture {
    struct steal_collection *rows;
    int frame;
};

static int is_inside(double x, double y)
{
    double a = 0, b = 0;

    for (int step = 0; step < STEPS && a * a + b * b <= 4; step++) {
        const double next = a * a - b * b + x;
        b = 2 * a * b + y;
        a = next;
    }
    return a * a + b * b <= 4;
}

static void draw_rows(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct picture *picture = local;
    const uint64_t *row = tasks;
    int64_t *inside = steal_storage(worker, picture->rows); /* each worker has its own count */

    for (size_t i = 0; i < count; i++)
        for (int column = 0; column < COLUMNS; column++)
            *inside += is_inside(-2.1 + 2.8 * column / COLUMNS,
                                 -1.4 + 2.2 * (double)row[i] / ROWS + 0.05 * picture->frame);
}

/* Identifies a row in all frames and runs. */
static uint64_t row_key(const void *local, const void *task)
{
    (void)local;
    return *(const uint64_t *)task;
}

/* The first frame is balanced by the ledger of an earlier run or, without one, by stealing. */
static int draw_frames(struct steal_runtime *runtime, struct picture *picture, const char *ledger)
{
    struct steal_collection *rows = picture->rows;
    const uint64_t ranks = (uint64_t)steal_ranks(runtime);

    for (uint64_t row = (uint64_t)steal_rank(runtime); row < ROWS; row += ranks)
        if (steal_add(steal_seeder(runtime), rows, &row, sizeof(row)) < 0)
            return -1;
    if (ledger && steal_ledger_load(rows, ledger) == 0 && steal_rebalance(rows, NULL) < 0)
        return -1;
    for (picture->frame = 0; picture->frame < FRAMES; picture->frame++)
        if ((picture->frame > 0 && steal_restore(rows) < 0) || steal_process(rows) < 0)
            return -1;
    return ledger ? steal_ledger_save(rows, ledger) : 0;
}

int main(int argc, char **argv)
{
    static struct picture picture;
    struct steal_error error;
    struct steal_runtime *runtime;
    struct steal_properties properties = {.size = sizeof(properties), .local = &picture};
    int64_t sum = 0;

    properties.task_size = sizeof(uint64_t);
    properties.storage = sizeof(int64_t);
    properties.retain = STEAL_RETENTION_SEEDED;
    properties.key = row_key;
    properties.order = STEAL_ORDER_LONGEST;
    properties.balance_if_it_pays = 1;
    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 1;
    const int failed = steal_function_register(runtime, "draw rows", draw_rows,
                                               &properties.function) < 0 ||
                       steal_collection_create(runtime, &properties, &picture.rows) < 0 ||
                       draw_frames(runtime, &picture, argc > 1 ? argv[1] : NULL) < 0 ||
                       steal_reduce(picture.rows, STEAL_REDUCTION_SUM, 0, 1, &sum) < 0;
    if (failed)
        fprintf(stderr, "%s\n", steal_message(runtime));
    else if (steal_rank(runtime) == 0)
        printf("%" PRId64 " points of %d frames belong to the set\n", sum, FRAMES);
    steal_collection_destroy(picture.rows);
    return steal_runtime_destroy(runtime) < 0 || failed;
}
