/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/live.h"

#include "tools/cli/options.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    DURATION_SIZE = 32,
    THREADS_TOP = 4,    /* the first line of threads */
    FIXED_COLUMNS = 58, /* all but the bar */
    BAR_MIN = 8,
};

#define IN_WORDS(duration_ns) duration_format(duration_ns, (char[DURATION_SIZE]){0}, DURATION_SIZE)

struct live {
    FILE *terminal;
    SCREEN *screen;
};

int live_create(const char *tty, struct live **result)
{
    int fd = *tty ? open(tty, O_RDWR | O_NOCTTY | O_CLOEXEC)
                  : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    struct live *live = calloc(1, sizeof(*live));
    int error = isatty(fd) ? -ENOMEM : -ENOTTY;
    FILE *terminal = error == -ENOMEM ? fdopen(fd, "r+") : NULL;

    if (!live || !terminal)
        goto fail;
    live->terminal = terminal;
    live->screen = newterm(NULL, terminal, terminal);
    error = -ENOTTY; /* of a kind that terminfo does not know */
    if (!live->screen)
        goto fail;
    /* Between two draws the terminal is as the program wants it. */
    reset_shell_mode();
    *result = live;
    return 0;

fail:
    if (terminal)
        fclose(terminal);
    else
        close(fd);
    free(live);
    return error;
}

/* A draw from the background would stop juggle, or garble what another job shows. */
static bool is_ours(const struct live *live)
{
    const pid_t foreground = tcgetpgrp(fileno(live->terminal));

    return foreground < 0 || foreground == getpgrp();
}

static void fit_size(const struct live *live)
{
    struct winsize size;

    if (!ioctl(fileno(live->terminal), TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
        is_term_resized(size.ws_row, size.ws_col))
        resizeterm(size.ws_row, size.ws_col);
}

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void draw_head(const struct report *report)
{
    const struct job_statistics *statistics = &report->statistics;

    mvprintw(0, 0, "juggle: %d threads on %d processors, %s from %s", report->threads_count,
             statistics->processors_count, policy_kind_name(statistics->policy),
             statistics->source);
    mvprintw(1, 0, "%s elapsed, period %s, %lld rounds, %lld migrations, own cost %.2f %%",
             IN_WORDS(report->elapsed_ns), IN_WORDS(statistics->period_ns),
             (long long)statistics->rounds_count, (long long)statistics->migrations_count,
             percent(report->own_cpu_ns, report->elapsed_ns));
    attron(A_REVERSE);
    mvprintw(THREADS_TOP - 1, 0, "%8s %-15s %4s %8s %9s  %-*s", "thread", "name", "cpu", "blocked",
             "progress", COLS - FIXED_COLUMNS + 8, "to the mean");
    attroff(A_REVERSE);
}

/* A full bar is the progress of the thread that is farthest. */
static void draw_thread(int line, const struct job_thread *thread, int64_t mean_ns, int64_t max_ns)
{
    const int width = COLS - FIXED_COLUMNS > BAR_MIN ? COLS - FIXED_COLUMNS : BAR_MIN;
    const int filled = max_ns > 0 ? (int)(thread->progress_ns * width / max_ns) : 0;
    const int64_t life_ns = thread->run_ns + thread->wait_ns + thread->blocked_ns;

    mvprintw(line, 0, "%8d %-15s %4d %7.1f%% %9s  %+6.1f%% ", (int)thread->tid, thread->comm,
             thread->cpu, percent(thread->blocked_ns, life_ns), IN_WORDS(thread->progress_ns),
             percent(thread->progress_ns - mean_ns, mean_ns));
    for (int i = 0; i < filled; i++)
        addch(thread->ended ? '-' : ACS_CKBOARD);
}

static void draw_threads(const struct report *report)
{
    int64_t sum_ns = 0, max_ns = 0;

    for (int i = 0; i < report->threads_count; i++) {
        sum_ns += report->threads[i].progress_ns;
        max_ns = max_i64(max_ns, report->threads[i].progress_ns);
    }
    for (int i = 0; i < report->threads_count && THREADS_TOP + i < LINES; i++)
        draw_thread(THREADS_TOP + i, &report->threads[i], sum_ns / report->threads_count, max_ns);
}

void live_draw(struct live *live, const struct report *report)
{
    if (!is_ours(live))
        return;
    set_term(live->screen);
    reset_prog_mode();
    fit_size(live);
    erase();
    draw_head(report);
    draw_threads(report);
    refresh();
    reset_shell_mode();
}

void live_suspend(struct live *live)
{
    if (!live || !is_ours(live))
        return;
    set_term(live->screen);
    endwin();
}

void live_destroy(struct live *live)
{
    if (!live)
        return;
    live_suspend(live);
    delscreen(live->screen);
    fclose(live->terminal);
    free(live);
}
