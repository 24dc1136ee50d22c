/* SPDX-License-Identifier: BSD-3-Clause */
/* The program may write to the same terminal at any time. So the view takes some lines at the
 * bottom, below a scrolling region (DECSTBM) that is the program's: the program's output scrolls
 * there and into the terminal's scrollback as usual. A draw saves the cursor, draws and restores
 * the cursor in a single write, which the kernel does not interleave with other writes. */
#include "juggle/report/live.h"

#include "cli/options.h"
#include "cli/foreign.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

enum {
    HEAD_LINES = 4,
    QUOTA_SIZE = 80,
    FIXED_COLUMNS = 58, /* all columns but the bar */
    BAR_MIN = 8,
    LINE_SIZE = 512,
    SCREEN_SIZE = 1 << 16,
    ESCAPES_SIZE = 24, /* escape sequences of a line, in bytes */
    EDGES = 4,         /* the sequences around all lines take at most the room of so many lines */
    ROWS_UNKNOWN = 24, /* assumed if the terminal does not tell its size */
    COLUMNS_UNKNOWN = 80,
};

#define SAVE    "\0337"
#define RESTORE "\0338"
#define INDEX   "\033D" /* to the next line, in the same column; scrolls at the bottom */

struct live {
    int fd;
    bool alone;
    int rows, width;
    int height; /* number of lines that the view has; 0 while it is not shown */
    int length; /* bytes in `screen` */
    char screen[SCREEN_SIZE];
};

/* ---- create, destroy ---- */

/* Terminfo returns NULL for a capability that the terminal lacks, and -1 for one that is no
 * string. */
static bool is_string(const char *capability)
{
    return capability && (intptr_t)capability != -1;
}

/* True if the terminal knows the VT100's scrolling regions, as all common terminals do. */
static bool is_able(int fd)
{
    int status;

    if (setupterm(NULL, fd, &status) != OK)
        return false;
    const char *region = tigetstr("csr");
    const char *save = tigetstr("sc");
    const bool able = is_string(region) && !strcmp(region, "\033[%i%p1%d;%p2%dr") &&
                      is_string(save) && !strcmp(save, SAVE);
    del_curterm(cur_term);
    return able;
}

int live_create(const char *tty, bool alone, struct live **result)
{
    int fd = *tty ? open(tty, O_RDWR | O_NOCTTY | O_CLOEXEC)
                  : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    const int error = !isatty(fd) ? -ENOTTY : !is_able(fd) ? -EDOM : 0;
    struct live *live = error ? NULL : calloc(1, sizeof(*live));

    if (!live) {
        close(fd);
        return error ? error : -ENOMEM;
    }
    live->fd = fd;
    live->alone = alone;
    *result = live;
    return 0;
}

void live_destroy(struct live *live)
{
    if (!live)
        return;
    live_suspend(live);
    close(live->fd);
    free(live);
}

/* ---- writing ---- */

static void __attribute__((format(printf, 2, 3))) add(struct live *live, const char *format, ...)
{
    const int room = SCREEN_SIZE - live->length;
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(live->screen + live->length, (size_t)room, format, arguments);
    va_end(arguments);
    live->length += length < room ? length : room - 1;
}

/* False if the terminal was halted (Ctrl-S): a write would block juggle. */
static bool is_ready(const struct live *live)
{
    struct pollfd fd = {.fd = live->fd, .events = POLLOUT};

    return poll(&fd, 1, 0) == 1 && fd.revents & POLLOUT;
}

static void write_out(struct live *live)
{
    (void)!write(live->fd, live->screen, (size_t)live->length);
    live->length = 0;
}

/* True if juggle is in the foreground. A draw from the background would stop juggle, or garble
 * the output of another job. */
static bool is_ours(const struct live *live)
{
    const pid_t foreground = tcgetpgrp(live->fd);

    return foreground < 0 || foreground == getpgrp();
}

/* ---- lines at the bottom ---- */

static void region_open(struct live *live)
{
    add(live, SAVE "\033[r" RESTORE);
}

/* Moves the text in the view's future lines up, and the cursor with it, then sets the region. */
static void region_grow(struct live *live, int height)
{
    for (int i = live->height; i < height; i++)
        add(live, INDEX);
    add(live, "\033[%dA", height - live->height);
    if (height < live->rows)
        add(live, SAVE "\033[1;%dr" RESTORE, live->rows - height);
    live->height = height;
}

/* Adapts region and view to the terminal and the number of threads. False if the terminal is too
 * small. Most terminals drop the region when their size changes. */
static bool region_fit(struct live *live, int threads_count)
{
    struct winsize size;

    if (ioctl(live->fd, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
        size = (struct winsize){.ws_row = ROWS_UNKNOWN, .ws_col = COLUMNS_UNKNOWN};
    const int width = size.ws_col < LINE_SIZE ? size.ws_col : LINE_SIZE;
    const int room = SCREEN_SIZE / (width + ESCAPES_SIZE) - EDGES;
    const int rows = live->alone ? size.ws_row : size.ws_row / 2;
    const int most = rows < room ? rows : room;
    if (most <= HEAD_LINES)
        return false;
    if (live->height && (size.ws_row != live->rows || size.ws_col != live->width)) {
        region_open(live);
        live->height = 0;
    }
    live->rows = size.ws_row;
    live->width = size.ws_col;
    const int wanted = HEAD_LINES + threads_count;
    const int height = wanted < most ? wanted : most;
    if (height > live->height)
        region_grow(live, height);
    return true;
}

/* Text that does not fit is cut off, so that it does not run into the next line. */
static void __attribute__((format(printf, 3, 4)))
draw_line(struct live *live, int line, const char *format, ...)
{
    char text[LINE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    for (char *byte = text; *byte; byte++)
        if ((unsigned char)*byte < ' ' || (unsigned char)*byte >= 0x7f)
            *byte = '?';
    add(live, "\033[%d;1H\033[K%.*s", live->rows - live->height + line + 1, live->width - 1, text);
}

/* ---- what is drawn ---- */

static bool is_narrow(const struct live *live)
{
    return live->width < FIXED_COLUMNS + BAR_MIN;
}

/* Writes in how many of its periods the quota was used up; "" if in none. */
static void quota_format(const struct taken *taken, char text[QUOTA_SIZE])
{
    *text = '\0';
    if (taken->throttled_count)
        snprintf(text, QUOTA_SIZE, ", quota hit %lld of %lld", (long long)taken->throttled_count,
                 (long long)taken->periods_count);
}

static void draw_head(struct live *live, const struct report *report)
{
    const struct job_statistics *statistics = &report->statistics;
    char quota[QUOTA_SIZE];

    quota_format(&report->taken, quota);
    draw_line(live, 0, "%s", "");
    draw_line(live, 1, "juggle: %d thread%s on %d processor%s, %s from %s%s", report->threads_count,
              plural(report->threads_count), statistics->processors_count,
              plural(statistics->processors_count), policy_kind_name(statistics->policy),
              statistics->source, quota);
    draw_line(live, 2, "%s elapsed, own cost %.2f %%, period %s, %lld turn%s, %lld migration%s",
              IN_WORDS(report->elapsed_ns), percent_of(report->own_cpu_ns, report->elapsed_ns),
              IN_WORDS(statistics->period_ns), (long long)statistics->rounds_count,
              plural(statistics->rounds_count), (long long)statistics->migrations_count,
              plural(statistics->migrations_count));
    add(live, "\033[7m");
    if (is_narrow(live))
        draw_line(live, 3, "%8s %-7s %4s %8s %s", "thread", "name", "cpu", "progress", "to mean");
    else
        draw_line(live, 3, "%8s %-15s %4s %8s %9s  %s", "thread", "name", "cpu", "blocked",
                  "progress", "to the mean");
    add(live, "\033[m");
}

/* A full bar stands for the progress of the most advanced thread. */
static void draw_thread(struct live *live, int line, const struct job_thread *thread,
                        int64_t mean_ns, int64_t max_ns)
{
    const double ahead = percent_of(thread->progress_ns - mean_ns, mean_ns);
    char bar[LINE_SIZE / 2];

    if (is_narrow(live)) {
        draw_line(live, line, "%8d %-7.7s %4d %8s %+6.1f%%", (int)thread->tid,
                  FOREIGN(thread->comm), thread->cpu, IN_WORDS(thread->progress_ns), ahead);
        return;
    }
    const int room = live->width - FIXED_COLUMNS;
    const int most = room < (int)sizeof(bar) ? room : (int)sizeof(bar) - 1;
    const int filled = max_ns > 0 ? (int)(thread->progress_ns * most / max_ns) : 0;
    memset(bar, thread->ended ? '-' : '#', sizeof(bar));
    draw_line(live, line, "%8d %-15s %4d %7.1f%% %9s  %+6.1f%% %.*s", (int)thread->tid,
              FOREIGN(thread->comm), thread->cpu,
              percent_of(thread->blocked_ns, thread_life_ns(thread)), IN_WORDS(thread->progress_ns),
              ahead, filled, bar);
}

static void draw_threads(struct live *live, const struct report *report)
{
    const int room = live->height - HEAD_LINES;
    const int drawn = report->threads_count > room ? room - 1 : report->threads_count;
    const struct thread_sums sums = report_sums(report);

    for (int i = 0; i < drawn; i++)
        draw_thread(live, HEAD_LINES + i, &report->threads[i],
                    sums.progress_ns / report->threads_count, sums.most_ns);
    if (drawn < report->threads_count)
        draw_line(live, HEAD_LINES + drawn, "%8s %d more", "and", report->threads_count - drawn);
}

void live_draw(struct live *live, const struct report *report)
{
    if (!is_ours(live) || !is_ready(live) || !region_fit(live, report->threads_count))
        return;
    add(live, SAVE "\033[m");
    draw_head(live, report);
    draw_threads(live, report);
    add(live, RESTORE);
    write_out(live);
}

void live_suspend(struct live *live)
{
    if (!live || !live->height || !is_ours(live))
        return;
    region_open(live);
    add(live, SAVE "\033[m");
    for (int line = 0; line < live->height; line++)
        draw_line(live, line, "%s", "");
    add(live, RESTORE);
    live->height = 0;
    write_out(live);
}
