/* SPDX-License-Identifier: BSD-3-Clause */
#include "jugglectl/top.h"

#include "juggle/report/live.h"
#include "juggle/report/picture.h"
#include "cli/options.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

static int draw(struct live *live, const json_t *picture)
{
    struct job_thread *threads;
    struct report report;
    int error = picture_report(picture, &threads, &report);

    if (error)
        return error;
    live_draw(live, &report);
    free(threads);
    return 0;
}

/* ---- keys and signals ---- */

/* Keys are read as they are typed, and not echoed. */
struct keyboard {
    bool ours; /* standard input is a terminal */
    struct termios before;
};

static void keyboard_take(const struct keyboard *keyboard)
{
    struct termios raw = keyboard->before;

    if (!keyboard->ours)
        return;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void keyboard_give_back(const struct keyboard *keyboard)
{
    if (keyboard->ours)
        tcsetattr(STDIN_FILENO, TCSANOW, &keyboard->before);
}

/* True if the key is q, or if the terminal is gone. */
static bool key_ends(void)
{
    char key;

    return read(STDIN_FILENO, &key, 1) != 1 || key == 'q';
}

static int signals_take(void)
{
    sigset_t taken;

    sigemptyset(&taken);
    sigaddset(&taken, SIGINT);
    sigaddset(&taken, SIGTERM);
    sigaddset(&taken, SIGQUIT);
    sigaddset(&taken, SIGHUP);
    sigaddset(&taken, SIGTSTP);
    const int fd = sigprocmask(SIG_BLOCK, &taken, NULL) ? -1 : signalfd(-1, &taken, SFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static bool signal_stops(int signals_fd)
{
    struct signalfd_siginfo info;

    return read(signals_fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGTSTP;
}

/* Stops as the terminal would; returns when it is continued. */
static void stop(void)
{
    sigset_t stops;

    sigemptyset(&stops);
    sigaddset(&stops, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stops, NULL);
    sigprocmask(SIG_BLOCK, &stops, NULL);
}

/* ---- watching ---- */

enum news { PICTURE, STOP, END };

struct top {
    struct context *context;
    struct keyboard keyboard;
    int signals_fd;
};

static enum news await(const struct top *top)
{
    struct pollfd watched[] = {
        {.fd = client_fd(top->context->client), .events = POLLIN},
        {.fd = top->signals_fd, .events = POLLIN},
        {.fd = top->keyboard.ours ? STDIN_FILENO : -1, .events = POLLIN},
    };

    for (;;) {
        if (poll(watched, ARRAY_COUNT(watched), -1) < 0)
            continue;
        if (watched[1].revents)
            return signal_stops(top->signals_fd) ? STOP : END;
        if (watched[2].revents && key_ends())
            return END;
        if (watched[0].revents)
            return PICTURE;
    }
}

/* Draws pictures until something else is to be done. `reply` is then the last reply, possibly an
 * error of the service. */
static enum news watch(const struct top *top, struct live *live, struct reply *reply, int *error)
{
    enum news news = PICTURE;

    while (!*error && reply->continues && (news = await(top)) == PICTURE) {
        reply_release(reply);
        *error = client_reply(top->context->client, reply);
        if (!*error && !reply->error)
            *error = draw(live, reply->parameters);
    }
    return news;
}

/* Gives the terminal back while it is stopped. It also hangs up, because the service drops who
 * takes no pictures. */
static void pause_top(const struct top *top, struct live *live)
{
    client_close(top->context->client);
    top->context->client = NULL;
    live_suspend(live);
    keyboard_give_back(&top->keyboard);
    stop();
    keyboard_take(&top->keyboard);
}

static int show_job(const struct top *top, struct live *live, const char *job)
{
    struct reply reply = {0};
    enum news news = STOP;
    int error = 0;

    while (news == STOP) {
        reply_release(&reply);
        reply = (struct reply){.continues = true};
        if (call_send(top->context, JUGGLE_INTERFACE ".Monitor", json_pack("{s:s}", "job", job),
                      true))
            return EXIT_FAILURE;
        news = watch(top, live, &reply, &error);
        if (news == STOP)
            pause_top(top, live);
    }
    live_suspend(live);
    return watched(top->context, &reply, error);
}

/* The keyboard must be taken before, and given back after this function, because the view keeps the
 * settings of the terminal that it finds when it is created. */
static int view(const struct top *top, const char *job)
{
    struct live *live;
    const int error = live_create("", true, &live);
    char problem[LIVE_PROBLEM_SIZE];

    if (error) {
        live_problem("", error, problem);
        complain_of(top->context->settings, "nothing can be drawn: %s", problem);
        return EXIT_FAILURE;
    }
    const int status = show_job(top, live, job);
    live_destroy(live);
    return status;
}

int top_run(struct context *context, const char *job)
{
    struct top top = {.context = context, .signals_fd = signals_take()};

    if (top.signals_fd < 0) {
        complain_of(context->settings, "cannot handle signals: %s", strerror(-top.signals_fd));
        return EXIT_FAILURE;
    }
    top.keyboard.ours = tcgetattr(STDIN_FILENO, &top.keyboard.before) == 0;
    keyboard_take(&top.keyboard);
    const int status = view(&top, job);
    keyboard_give_back(&top.keyboard);
    close(top.signals_fd);
    return status;
}
