/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/live.h"

#include "libjuggle/cli/options.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    DURATION_SIZE = 32,
    THREADS_TOP = 4,    /* the first line of threads */
    FIXED_COLUMNS = 58, /* all but the bar */
    BAR_MIN = 8,
    LINE_SIZE = 512,
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

    if (ioctl(fileno(live->terminal), TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col ||
        !is_term_resized(size.ws_row, size.ws_col))
        return;
    resizeterm(size.ws_row, size.ws_col);
    clearok(curscr, TRUE);
}

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* What does not fit is cut off: it must not run into the next line. */
static void __attribute__((format(printf, 2, 3))) draw_line(int line, const char *format, ...)
{
    char text[LINE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    mvaddnstr(line, 0, text, COLS);
}

static bool is_narrow(void)
{
    return COLS < FIXED_COLUMNS + BAR_MIN;
}

static void draw_head(const struct report *report)
{
    const struct job_statistics *statistics = &report->statistics;

    draw_line(0, "juggle: %d threads on %d processors, %s from %s", report->threads_count,
              statistics->processors_count, policy_kind_name(statistics->policy),
              statistics->source);
    draw_line(1, "%s elapsed, own cost %.2f %%, period %s, %lld rounds, %lld migrations",
              IN_WORDS(report->elapsed_ns), percent(report->own_cpu_ns, report->elapsed_ns),
              IN_WORDS(statistics->period_ns), (long long)statistics->rounds_count,
              (long long)statistics->migrations_count);
    attron(A_REVERSE);
    if (is_narrow())
        draw_line(THREADS_TOP - 1, "%8s %-7s %4s %8s %-*s", "thread", "name", "cpu", "progress",
                  COLS, "to mean");
    else
        draw_line(THREADS_TOP - 1, "%8s %-15s %4s %8s %9s  %-*s", "thread", "name", "cpu",
                  "blocked", "progress", COLS, "to the mean");
    attroff(A_REVERSE);
}

/* A full bar is the progress of the thread that is farthest. */
static void draw_thread(int line, const struct job_thread *thread, int64_t mean_ns, int64_t max_ns)
{
    const int filled = max_ns > 0 ? (int)(thread->progress_ns * (COLS - FIXED_COLUMNS) / max_ns)
                                  : 0;
    const int64_t life_ns = thread->run_ns + thread->wait_ns + thread->blocked_ns;
    const double ahead = percent(thread->progress_ns - mean_ns, mean_ns);

    if (is_narrow()) {
        draw_line(line, "%8d %-7.7s %4d %8s %+6.1f%%", (int)thread->tid, thread->comm, thread->cpu,
                  IN_WORDS(thread->progress_ns), ahead);
        return;
    }
    draw_line(line, "%8d %-15s %4d %7.1f%% %9s  %+6.1f%% ", (int)thread->tid, thread->comm,
              thread->cpu, percent(thread->blocked_ns, life_ns), IN_WORDS(thread->progress_ns),
              ahead);
    for (int i = 0; i < filled; i++)
        addch(thread->ended ? '-' : ACS_CKBOARD);
}

static void draw_threads(const struct report *report)
{
    const int room = LINES - THREADS_TOP;
    const int drawn = report->threads_count > room ? room - 1 : report->threads_count;
    int64_t sum_ns = 0, max_ns = 0;

    for (int i = 0; i < report->threads_count; i++) {
        sum_ns += report->threads[i].progress_ns;
        max_ns = max_i64(max_ns, report->threads[i].progress_ns);
    }
    for (int i = 0; i < drawn; i++)
        draw_thread(THREADS_TOP + i, &report->threads[i], sum_ns / report->threads_count, max_ns);
    if (drawn >= 0 && drawn < report->threads_count)
        draw_line(LINES - 1, "%8s %d more", "and", report->threads_count - drawn);
}

/* Since the last draw the program may have written to the terminal, or its user typed: back to
 * where curses believes the cursor to be. */
static void park_cursor(const struct live *live)
{
    const char *address = tigetstr("cup");

    if (address)
        fputs(tparm(address, LINES - 1, 0), live->terminal);
    fflush(live->terminal);
}

void live_draw(struct live *live, const struct report *report)
{
    if (!is_ours(live))
        return;
    set_term(live->screen);
    reset_prog_mode();
    park_cursor(live);
    fit_size(live);
    erase();
    draw_head(report);
    draw_threads(report);
    move(LINES - 1, 0);
    redrawwin(stdscr);
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
