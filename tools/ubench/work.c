/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/ubench/work.h"

#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_SIZE = 64,
    LINE_WORDS = LINE_SIZE / sizeof(uint64_t),
    ITERATIONS_PER_LINE = 16, /* a few GB/s, so that it is not bound by memory only */
    CALIBRATION_RUNS = 15,
};

static const int64_t CALIBRATION_RUN_NS = 8 * NSEC_PER_MSEC;

int work_init(struct work *work, size_t footprint_size)
{
    const size_t lines_count = footprint_size / LINE_SIZE;
    void *lines = NULL;

    if (lines_count) {
        const int error = posix_memalign(&lines, LINE_SIZE, lines_count * LINE_SIZE);
        if (error)
            return -error;
        memset(lines, 1, lines_count * LINE_SIZE);
    }
    *work = (struct work){.value = 1, .lines = lines, .lines_count = lines_count};
    return 0;
}

void work_destroy(struct work *work)
{
    free((void *)work->lines);
    work->lines = NULL;
}

/* Knuth's MMIX generator: each step depends on the one before, so it takes its full latency. */
static uint64_t chain(uint64_t value, uint64_t steps)
{
    while (steps--) {
        value = value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

static void touch_next_line(struct work *work)
{
    work->lines[work->next_line * LINE_WORDS] += work->value;
    if (++work->next_line == work->lines_count)
        work->next_line = 0;
}

void work_run(struct work *work, uint64_t iterations)
{
    if (!work->lines) {
        work->value = chain(work->value, iterations);
        return;
    }
    for (; iterations >= ITERATIONS_PER_LINE; iterations -= ITERATIONS_PER_LINE) {
        work->value = chain(work->value, ITERATIONS_PER_LINE);
        touch_next_line(work);
    }
    work->value = chain(work->value, iterations);
}

static int64_t timed_run_ns(struct work *work, uint64_t iterations)
{
    const int64_t start_ns = clock_spent_ns();

    work_run(work, iterations);
    return clock_spent_ns() - start_ns;
}

uint64_t work_calibrate(struct work *work, int64_t phase_ns)
{
    uint64_t iterations = 1 << 16;
    int64_t fastest_ns = timed_run_ns(work, iterations);

    while (fastest_ns < CALIBRATION_RUN_NS) {
        iterations *= 2;
        fastest_ns = timed_run_ns(work, iterations);
    }
    for (int run = 0; run < CALIBRATION_RUNS; run++)
        fastest_ns = min_i64(fastest_ns, timed_run_ns(work, iterations));
    const double ns_per_iteration = (double)fastest_ns / (double)iterations;
    return (uint64_t)((double)phase_ns / ns_per_iteration) + 1;
}
