/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/jugglectl_top.h"

#include "juggle/live.h"
#include "juggle/picture.h"
#include "tools/cli/options.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
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

/* True if a picture is to be read, false if it is enough. */
static bool await(const struct client *client, int signals_fd)
{
    struct pollfd watched[] = {
        {.fd = client_fd(client), .events = POLLIN},
        {.fd = signals_fd, .events = POLLIN},
    };

    while (poll(watched, ARRAY_COUNT(watched), -1) < 0 && errno == EINTR)
        continue;
    return !watched[1].revents;
}

static int watch(struct client *client, struct live *live, int signals_fd)
{
    struct reply reply = {.continues = true};
    int error = 0;

    while (!error && reply.continues && await(client, signals_fd)) {
        error = client_reply(client, &reply);
        if (error)
            break;
        if (!reply.error)
            error = draw(live, reply.parameters);
        const bool continues = reply.continues && !reply.error;
        reply_release(&reply);
        reply.continues = continues;
    }
    return error;
}

static int signals_take(void)
{
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    return signalfd(-1, &ends, SFD_CLOEXEC);
}

int top_run(struct client *client, const char *job)
{
    struct live *live;
    int error = live_create("", &live);

    if (error) {
        complain("jugglectl", "stderr is no terminal to draw on: %s", strerror(-error));
        return EXIT_FAILURE;
    }
    const int signals_fd = signals_take();
    error = client_call(client, JUGGLE_INTERFACE ".Monitor", json_pack("{s:s}", "job", job), true);
    if (!error)
        error = watch(client, live, signals_fd);
    live_destroy(live);
    close(signals_fd);
    if (!error)
        return EXIT_SUCCESS;
    complain("jugglectl", "the service answers no more: %s", strerror(-error));
    return EXIT_FAILURE;
}
