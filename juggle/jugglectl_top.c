/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/jugglectl_top.h"

#include "juggle/live.h"
#include "tools/cli/options.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int64_t number(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static struct job_thread thread_of(const json_t *json)
{
    struct job_thread thread = {
        .pid = (pid_t)number(json, "pid"),
        .tid = (pid_t)number(json, "tid"),
        .cpu = (int)number(json, "cpu"),
        .ended = json_is_true(json_object_get(json, "ended")),
        .progress_ns = number(json, "progress_ns"),
        .run_ns = number(json, "run_ns"),
        .wait_ns = number(json, "wait_ns"),
        .blocked_ns = number(json, "blocked_ns"),
    };
    const char *comm = json_string_value(json_object_get(json, "comm"));

    snprintf(thread.comm, sizeof(thread.comm), "%s", comm ? comm : "");
    return thread;
}

/* The picture as a report, which the view can draw; `threads` is freed by the caller. */
static struct report report_of(const json_t *picture, struct job_thread *threads)
{
    const json_t *job = json_array_get(json_object_get(picture, "jobs"), 0);
    const json_t *list = json_object_get(picture, "threads");
    const char *source = json_string_value(json_object_get(job, "source"));
    const char *policy = json_string_value(json_object_get(job, "policy"));
    struct report report = {
        .elapsed_ns = number(job, "elapsed_ns"),
        .own_cpu_ns = number(job, "own_cpu_ns"),
        .threads = threads,
        .threads_count = (int)json_array_size(list),
        .statistics =
            {
                .processors_count = (int)number(job, "processors_count"),
                .source = source ? source : "",
                .period_ns = number(job, "period_ns"),
                .rounds_count = number(job, "rounds_count"),
                .migrations_count = number(job, "migrations_count"),
            },
    };

    /* A policy that this jugglectl does not know is shown as the first. */
    if (!policy || policy_kind_parse(policy, &report.statistics.policy))
        report.statistics.policy = POLICY_JUGGLE;
    for (int i = 0; i < report.threads_count; i++)
        threads[i] = thread_of(json_array_get(list, (size_t)i));
    return report;
}

static int draw(struct live *live, const json_t *picture)
{
    const size_t count = json_array_size(json_object_get(picture, "threads"));
    struct job_thread *threads = calloc(count + 1, sizeof(*threads));

    if (!threads)
        return -ENOMEM;
    const struct report report = report_of(picture, threads);
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
