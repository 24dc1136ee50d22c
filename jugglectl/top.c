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

/* ---- keys ---- */

/* Keys are read as they are typed, and not echoed. */
struct keyboard {
    bool ours; /* standard input is a terminal */
    struct termios before;
};

static void keyboard_take(struct keyboard *keyboard)
{
    keyboard->ours = tcgetattr(STDIN_FILENO, &keyboard->before) == 0;
    if (!keyboard->ours)
        return;
    struct termios raw = keyboard->before;
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

/* ---- watching ---- */

/* Waits. True if a picture can be read, false if the user wants to end. */
static bool await(const struct varlink_client *client, const struct keyboard *keyboard,
                  int signals_fd)
{
    struct pollfd watched[] = {
        {.fd = client_fd(client), .events = POLLIN},
        {.fd = signals_fd, .events = POLLIN},
        {.fd = keyboard->ours ? STDIN_FILENO : -1, .events = POLLIN},
    };

    for (;;) {
        if (poll(watched, ARRAY_COUNT(watched), -1) < 0)
            continue;
        if (watched[1].revents || (watched[2].revents && key_ends()))
            return false;
        if (watched[0].revents)
            return true;
    }
}

/* Draws pictures until the end. `reply` is then the last reply, possibly an error of the
 * service. */
static int watch(struct varlink_client *client, struct live *live, const struct keyboard *keyboard,
                 int signals_fd, struct reply *reply)
{
    int error = 0;

    while (!error && reply->continues && await(client, keyboard, signals_fd)) {
        reply_release(reply);
        error = client_reply(client, reply);
        if (!error && !reply->error)
            error = draw(live, reply->parameters);
    }
    return error;
}

static int signals_take(void)
{
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGQUIT);
    sigaddset(&ends, SIGHUP);
    const int fd = sigprocmask(SIG_BLOCK, &ends, NULL) ? -1 : signalfd(-1, &ends, SFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* The terminal's settings must be changed before, and restored after this function, because the
 * view keeps those that it finds when it is created. */
static int show_job(struct context *context, const char *job, const struct keyboard *keyboard)
{
    struct reply reply = {.continues = true};
    struct live *live;
    int error = live_create("", true, &live);

    if (error) {
        complain_of(context->settings, "stderr is no terminal to draw on: %s", strerror(-error));
        return EXIT_FAILURE;
    }
    const int signals_fd = signals_take();
    if (signals_fd < 0) {
        live_destroy(live);
        complain_of(context->settings, "cannot handle signals: %s", strerror(-signals_fd));
        return EXIT_FAILURE;
    }
    const bool begun = !call_send(context, JUGGLE_INTERFACE ".Monitor",
                                  json_pack("{s:s}", "job", job), true);
    if (begun)
        error = watch(context->client, live, keyboard, signals_fd, &reply);
    live_destroy(live);
    close(signals_fd);
    return begun ? watched(context, &reply, error) : EXIT_FAILURE;
}

int top_run(struct context *context, const char *job)
{
    struct keyboard keyboard;

    keyboard_take(&keyboard);
    const int status = show_job(context, job, &keyboard);
    keyboard_give_back(&keyboard);
    return status;
}
