/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/join/join.h"

#include "libjuggle/join/coordinator.h"
#include "libjuggle/join/name.h"
#include "libjuggle/join/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIES_MAX = 3,
    /* All ranks of a node ask at once, and the service takes a limited number per second. So each
     * rank tries for about ten seconds, with pauses that differ between processes. */
    CROWD_TRIES_MAX = 130,
    CROWD_PAUSE_MS = 50,
};

struct juggle_membership {
    char address[COORDINATOR_ADDRESS_SIZE]; /* of the service that balances the job */
    char job[SERVICE_NAME_SIZE];
    char ignored[JOIN_PROBLEM_SIZE];
};

/* Connects to the node's service, else to the user's coordinator of the job. */
static int connect_any(const struct join_request *request, const char *name, char *problem,
                       struct juggle_membership *membership, struct varlink_client **client)
{
    int error = request->use == SERVICE_NEVER ? -ENOENT : client_connect(CLIENT_SOCKET, client);

    snprintf(membership->address, sizeof(membership->address), CLIENT_SOCKET);
    if (!error)
        return 0;
    if (request->use == SERVICE_ALWAYS) {
        snprintf(problem, JOIN_PROBLEM_SIZE, "no service at %s: %s", CLIENT_SOCKET,
                 strerror(-error));
        return error;
    }
    coordinator_address(name, membership->address);
    error = coordinator_connect(membership->address, client);
    if (error == -ENOTSUP)
        snprintf(problem, JOIN_PROBLEM_SIZE, "there is no service, and no juggled to start one");
    else if (error)
        snprintf(problem, JOIN_PROBLEM_SIZE,
                 "there is no service, and the user's own coordinator cannot be reached: %s%s",
                 strerror(-error), error == -EAGAIN ? " (ulimit -u)" : "");
    return error;
}

/* True if the other end hung up. A coordinator may have been about to end, or never have run: the
 * caller then starts another one. If a connection is refused, coordinator_connect() waits. */
static bool hung_up(int error)
{
    return error == -ECONNRESET || error == -EPIPE;
}

static int request_name(const struct join_request *request, char name[JOIN_NAME_SIZE],
                        char *problem)
{
    if (!request->name) {
        join_name(name);
        return 0;
    }
    if (!join_name_is_right(request->name)) {
        snprintf(problem, JOIN_PROBLEM_SIZE, "a name is " JOIN_NAME_EXPECTED);
        return -EINVAL;
    }
    snprintf(name, JOIN_NAME_SIZE, "%s", request->name);
    return 0;
}

static int join_once(const struct join_request *request, const char *name, char *problem,
                     struct juggle_membership *membership)
{
    struct varlink_client *client;
    int error = connect_any(request, name, problem, membership, &client);

    if (error)
        return error;
    error = service_join(client, name, request->wish, membership->job, membership->ignored,
                         problem);
    client_close(client);
    if (hung_up(error) && strcmp(membership->address, CLIENT_SOCKET) != 0)
        snprintf(problem, JOIN_PROBLEM_SIZE,
                 "there is no service, and the juggled that was started for this job ended before "
                 "it answered, as it does with too few files or too little memory (ulimit -n, -v)");
    return error;
}

/* True, after a pause, if the service was too busy and the call is to be tried again. */
static bool crowded(int error, int *tries)
{
    const int pause_ms = CROWD_PAUSE_MS + getpid() % CROWD_PAUSE_MS;
    const struct timespec pause = {0, pause_ms * NSEC_PER_MSEC};

    if (error != -EXFULL || ++*tries > CROWD_TRIES_MAX)
        return false;
    nanosleep(&pause, NULL);
    return true;
}

int join_begin(const struct join_request *request, char problem[JOIN_PROBLEM_SIZE],
               struct juggle_membership **result)
{
    struct juggle_membership *membership;
    char name[JOIN_NAME_SIZE];
    int tries = 0, crowd_tries = 0;
    int error = request_name(request, name, problem);

    if (error)
        return error;
    membership = calloc(1, sizeof(*membership));
    if (!membership) {
        snprintf(problem, JOIN_PROBLEM_SIZE, "%s", strerror(ENOMEM));
        return -ENOMEM;
    }
    do {
        error = join_once(request, name, problem, membership);
    } while ((hung_up(error) && ++tries < TRIES_MAX) || crowded(error, &crowd_tries));
    if (error) {
        free(membership);
        return error == -EXFULL ? -EUSERS : error;
    }
    *result = membership;
    return 0;
}

static int leave_once(const struct juggle_membership *membership)
{
    struct varlink_client *client;
    int error = client_connect(membership->address, &client);

    if (error)
        return error;
    error = service_leave(client);
    client_close(client);
    return error;
}

/* Ignores errors: a service that has ended meanwhile balances no process any more. */
void join_end(struct juggle_membership *membership)
{
    int tries = 0;

    if (!membership)
        return;
    while (crowded(leave_once(membership), &tries))
        continue;
    free(membership);
}

const char *membership_job(const struct juggle_membership *membership)
{
    return membership->job;
}

const char *membership_ignored(const struct juggle_membership *membership)
{
    return membership->ignored;
}
