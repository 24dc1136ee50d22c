/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/progress.h"

#include "cli/options.h"
#include "libjuggle/linux/clock.h"

#include <unistd.h>

enum { BAR_WIDTH = 40, PERCENT = 100 };

#define DRAW_INTERVAL_NS (100 * NSEC_PER_MSEC)

void progress_bar_begin(struct progress_bar *bar, int64_t total)
{
    *bar = (struct progress_bar){
        .shown = isatty(STDERR_FILENO) && (total > 1 || total == PROGRESS_UNKNOWN),
        .total = total,
        .began_ns = clock_now_ns(),
    };
}

double progress_bar_elapsed_s(const struct progress_bar *bar)
{
    return (double)(clock_now_ns() - bar->began_ns) / (double)NSEC_PER_SEC;
}

/* True if the bar is to be drawn now: it is shown, and was not drawn within DRAW_INTERVAL_NS. */
static bool bar_due(struct progress_bar *bar)
{
    const int64_t now_ns = bar->shown ? clock_now_ns() : 0;

    if (!bar->shown || now_ns - bar->drawn_ns < DRAW_INTERVAL_NS)
        return false;
    bar->drawn_ns = now_ns;
    return true;
}

static void bar_draw(const struct progress_bar *bar, int64_t done)
{
    const double share = (double)done / (double)bar->total;
    const double left_ns = (double)(bar->drawn_ns - bar->began_ns) * (1 - share) / share;

    fprintf(stderr, "[%.*s%*s] %3.0f %%, %s left ", (int)(share * BAR_WIDTH),
            "########################################", BAR_WIDTH - (int)(share * BAR_WIDTH), "",
            share * PERCENT, IN_WORDS((int64_t)left_ns / NSEC_PER_SEC * NSEC_PER_SEC));
}

void progress_bar_tell(struct progress_bar *bar, int64_t done, const char *words)
{
    if (done == 0 || !bar_due(bar))
        return;
    fprintf(stderr, "\r%s", words);
    if (bar->total > 0)
        bar_draw(bar, done);
    fputs("\033[K", stderr);
}

void progress_bar_update(struct progress_bar *bar, int64_t done)
{
    progress_bar_tell(bar, done, "");
}

void progress_bar_end(struct progress_bar *bar)
{
    if (bar->shown)
        fputs("\r\033[K", stderr);
}
