/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/delegation.h"

#include "juggle/report/picture.h"
#include "libjuggle/join/service.h"
#include "libjuggle/linux/problem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pictures between the first and the last are not used: this is the longest interval allowed. */
#define PICTURES_INTERVAL_NS (3600 * NSEC_PER_SEC)

struct delegation {
    struct varlink_client *client; /* NULL once the last picture is here */
    char job[SERVICE_NAME_SIZE];
    json_t *picture;
    bool complete; /* `picture` is the last one */
    struct job_thread *threads;
};

/* ---- begin, destroy ---- */

static int service_connect(char *problem, struct varlink_client **client)
{
    const int error = client_connect(CLIENT_SOCKET, client);

    return error ? problem_of(problem, JOIN_PROBLEM_SIZE, error, "no service at " CLIENT_SOCKET)
                 : 0;
}

int delegation_try(char problem[JOIN_PROBLEM_SIZE])
{
    struct varlink_client *client;
    const int error = service_connect(problem, &client);

    if (!error)
        client_close(client);
    return error;
}

int delegation_begin(pid_t program, const struct wish *wish, char problem[JOIN_PROBLEM_SIZE],
                     struct delegation **result)
{
    struct delegation *delegation = calloc(1, sizeof(*delegation));

    if (!delegation)
        return problem_of(problem, JOIN_PROBLEM_SIZE, -ENOMEM, "no memory to ask the service");
    int error = service_connect(problem, &delegation->client);
    if (!error)
        error = service_balance(delegation->client, program, wish, delegation->job, problem);
    if (error) {
        delegation_destroy(delegation);
        return error;
    }
    json_t *parameters = json_pack("{s:s, s:I}", "job", delegation->job, "interval_ns",
                                   (json_int_t)PICTURES_INTERVAL_NS);
    /* If the service has closed the connection, the next read shows it. */
    (void)!client_call(delegation->client, JUGGLE_INTERFACE ".Monitor", parameters, true);
    *result = delegation;
    return 0;
}

void delegation_destroy(struct delegation *delegation)
{
    if (!delegation)
        return;
    client_close(delegation->client);
    json_decref(delegation->picture);
    free(delegation->threads);
    free(delegation);
}

/* ---- pictures ---- */

const char *delegation_job(const struct delegation *delegation)
{
    return delegation->job;
}

int delegation_fd(const struct delegation *delegation)
{
    return delegation->client ? client_fd(delegation->client) : -1;
}

void delegation_hear(struct delegation *delegation)
{
    struct reply reply;
    bool continues = false;

    if (!client_reply(delegation->client, &reply)) {
        continues = reply.continues && !reply.error;
        if (!reply.error) {
            json_decref(delegation->picture);
            delegation->picture = json_incref(reply.parameters);
            delegation->complete = !continues;
        }
        reply_release(&reply);
    }
    if (continues)
        return;
    client_close(delegation->client);
    delegation->client = NULL;
}

/* Uses a second connection, because a call on the first one would wait until the last picture
 * has been sent. */
static void job_release(const struct delegation *delegation)
{
    struct varlink_client *client;

    if (client_connect(CLIENT_SOCKET, &client))
        return;
    service_release(client, delegation->job);
    client_close(client);
}

/* Copies the work shares of our own report to the threads of the service's report. Both list
 * threads in the order of their arrival, but each may lack some, so each search begins behind
 * the last match. */
static void work_shares_take(struct delegation *delegation, int count,
                             const struct report *spinning)
{
    int next = 0;

    for (int i = 0; i < count; i++) {
        struct job_thread *thread = &delegation->threads[i];
        for (int k = 0; k < spinning->threads_count; k++) {
            const int index = (next + k) % spinning->threads_count;
            const struct job_thread *same = &spinning->threads[index];
            if (same->pid != thread->pid || same->tid != thread->tid)
                continue;
            thread->work_share = same->work_share;
            next = index + 1;
            break;
        }
    }
}

void delegation_finish(struct delegation *delegation, const struct report *spinning,
                       struct report *report)
{
    struct report made = {0};

    job_release(delegation);
    while (delegation->client)
        delegation_hear(delegation);
    if (!delegation->complete || picture_report(delegation->picture, &delegation->threads, &made))
        made.trouble = "juggled closed the connection; what it did is unknown";
    work_shares_take(delegation, made.threads_count, spinning);
    made.statistics.spin = spinning->statistics.spin;
    made.job_name = delegation->job;
    *report = made;
}
