/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/cli/progress.h"

#include "libjuggle/cli/options.h"

#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 40, TIME_TEXT_SIZE = 32, PERCENT = 100 };

#define DRAW_INTERVAL_NS (100 * NSEC_PER_MSEC)

static int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

void progress_bar_begin(struct progress_bar *bar, int64_t total)
{
    *bar = (struct progress_bar){
        .shown = isatty(STDERR_FILENO) && total > 1,
        .total = total,
        .began_ns = monotonic_ns(),
    };
}

void progress_bar_update(struct progress_bar *bar, int64_t done)
{
    const int64_t now_ns = bar->shown ? monotonic_ns() : 0;
    char left[TIME_TEXT_SIZE];

    if (!bar->shown || done == 0 || now_ns - bar->drawn_ns < DRAW_INTERVAL_NS)
        return;
    bar->drawn_ns = now_ns;
    const double share = (double)done / (double)bar->total;
    const double left_ns = (double)(now_ns - bar->began_ns) * (1 - share) / share;
    duration_format((int64_t)left_ns / NSEC_PER_SEC * NSEC_PER_SEC, left, sizeof(left));
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%, %s left \033[K", (int)(share * BAR_WIDTH),
            "########################################", BAR_WIDTH - (int)(share * BAR_WIDTH), "",
            share * PERCENT, left);
}

void progress_bar_end(struct progress_bar *bar)
{
    if (bar->shown)
        fputs("\r\033[K", stderr);
}
