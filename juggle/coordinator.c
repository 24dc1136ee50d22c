/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/coordinator.h"

#include "juggle/service/service.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ADDRESS_SIZE = 100, SOCKET_MODE = 0600 };

/* Keeps nothing that somebody could wait for the end of but the socket. */
static void descriptors_drop(int kept)
{
    const int null = open("/dev/null", O_RDWR);

    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    if (kept > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)kept - 1, 0);
    close_range((unsigned)kept + 1, ~0U, 0);
}

static _Noreturn void coordinate(int listener)
{
    const struct service_options options = {
        .listeners = &listener,
        .listeners_count = 1,
        .admin_gid = (gid_t)-1,
        .ends_when_idle = true,
    };
    struct config_problem problem;
    struct service *service;

    setsid();
    prctl(PR_SET_NAME, "juggle-coord");
    descriptors_drop(listener);
    if (chdir("/") || service_create(&options, &service, &problem))
        _exit(EXIT_FAILURE);
    int error = service_run(service);
    service_destroy(service);
    _exit(error ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* Forks twice: what is orphaned descends from nobody who joins. */
static int coordinator_start(int listener)
{
    const pid_t child = fork();

    if (child < 0)
        return -errno;
    if (child == 0) {
        if (fork() == 0)
            coordinate(listener);
        _exit(EXIT_SUCCESS);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return 0;
}

/* Abstract names are anybody's: only a coordinator of our own is told who we are. */
static int connect_own(const char *address, struct client **result)
{
    struct client *client;
    uid_t uid;
    int error = client_connect(address, &client);

    if (error)
        return error;
    error = client_peer(client, &uid);
    if (!error && uid != geteuid())
        error = -EPERM;
    if (error) {
        client_close(client);
        return error;
    }
    *result = client;
    return 0;
}

int coordinator_connect(const char *name, struct client **client)
{
    char address[ADDRESS_SIZE];
    int listener;

    snprintf(address, sizeof(address), "@juggle/%u/%s", (unsigned)geteuid(), name);
    /* Who can bind the name is the first; calls wait in the socket until the service runs. */
    int error = service_listen(address, SOCKET_MODE, &listener);
    if (!error) {
        error = coordinator_start(listener);
        if (!error)
            error = connect_own(address, client);
        close(listener);
        return error;
    }
    return error == -EADDRINUSE ? connect_own(address, client) : error;
}
