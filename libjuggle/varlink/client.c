/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/varlink/client.h"

#include "libjuggle/varlink/frames.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MESSAGE_SIZE_MAX = 16 << 20, /* a reply with all threads of a large job */
    ANSWER_TIMEOUT_MS = 10000,   /* see client_problem */
    MSEC_PER_SEC = 1000,
};

struct varlink_client {
    int fd;
    struct frames *frames;
};

int client_address(const char *path, struct sockaddr_un *address, socklen_t *size)
{
    const size_t length = strlen(path);

    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (length == 0 || length >= sizeof(address->sun_path))
        return length ? -ENAMETOOLONG : -EINVAL;
    memcpy(address->sun_path, path, length);
    if (*path == '@')
        address->sun_path[0] = '\0';
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*path != '@'));
    return 0;
}

/* What the kernel says when the time for connecting or sending is over. */
static int error_of(int error)
{
    return error == EAGAIN ? -ETIMEDOUT : -error;
}

/* Connects; waits if the backlog of the listener is full. */
static int connect_to(int fd, const struct sockaddr_un *address, socklen_t size)
{
    const struct timeval patience = {.tv_sec = ANSWER_TIMEOUT_MS / MSEC_PER_SEC};
    int connected;

    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)))
        return -errno;
    do
        connected = connect(fd, (const struct sockaddr *)address, size);
    while (connected < 0 && errno == EINTR);
    return connected < 0 ? error_of(errno) : 0;
}

int client_connect(const char *path, struct varlink_client **result)
{
    struct sockaddr_un address;
    socklen_t size;
    int error = client_address(path, &address, &size);
    struct varlink_client *client = error ? NULL : calloc(1, sizeof(*client));

    if (!client)
        return error ? error : -ENOMEM;
    client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    error = client->fd < 0 ? -errno : connect_to(client->fd, &address, size);
    if (!error)
        error = frames_create(MESSAGE_SIZE_MAX, &client->frames);
    if (error) {
        client_close(client);
        return error;
    }
    *result = client;
    return 0;
}

void client_close(struct varlink_client *client)
{
    if (!client)
        return;
    frames_destroy(client->frames);
    if (client->fd >= 0)
        close(client->fd);
    free(client);
}

int client_peer(const struct varlink_client *client, uid_t *uid)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);

    if (getsockopt(client->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
        return -errno;
    *uid = peer.uid;
    return 0;
}

int client_fd(const struct varlink_client *client)
{
    return client->fd;
}

static int send_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return error_of(errno);
        bytes += sent;
        size -= (size_t)sent;
    }
    return 0;
}

int client_call(struct varlink_client *client, const char *method, json_t *parameters, bool more)
{
    json_t *call = call_make(method, parameters, more);
    char *text = json_dumps(call, JSON_COMPACT);
    const int error = text ? send_all(client->fd, text, strlen(text) + 1) : -ENOMEM;

    free(text);
    json_decref(call);
    /* A service that refuses us sends the reason before it hangs up: client_reply gets it. */
    return error == -EPIPE || error == -ECONNRESET ? 0 : error;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * MSEC_PER_SEC + now.tv_nsec / NSEC_PER_MSEC;
}

/* Waits for input, ANSWER_TIMEOUT_MS at most, also if signals interrupt it. */
static int await(int fd)
{
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    const int64_t until_ms = now_ms() + ANSWER_TIMEOUT_MS;
    int ready;

    do
        ready = poll(&readable, 1, (int)max_i64(0, until_ms - now_ms()));
    while (ready < 0 && errno == EINTR);
    return ready > 0 ? 0 : ready ? -errno : -ETIMEDOUT;
}

/* Receives nothing of the next message: a caller that polls for that one is told only of bytes that
 * are still in the socket. */
static ssize_t receive_one(int fd, char *space, size_t size)
{
    const ssize_t there = recv(fd, space, size, MSG_PEEK);
    const char *nul = there > 0 ? memchr(space, '\0', (size_t)there) : NULL;

    return there > 0 ? recv(fd, space, (size_t)(nul ? nul - space + 1 : there), 0) : there;
}

static int receive(struct varlink_client *client)
{
    char *space;
    size_t size;
    int error = frames_space(client->frames, &space, &size);

    if (!error)
        error = await(client->fd);
    if (error)
        return error;
    const ssize_t received = receive_one(client->fd, space, size);
    if (received < 0)
        return errno == EINTR ? 0 : -errno;
    frames_fill(client->frames, (size_t)received);
    return received ? 0 : -ECONNRESET;
}

int client_reply(struct varlink_client *client, struct reply *reply)
{
    const char *message;
    size_t length;

    for (;;) {
        int error = frames_take(client->frames, &message, &length);
        if (!error)
            return reply_parse(message, length, reply);
        if (error == -EAGAIN)
            error = receive(client);
        if (error)
            return error;
    }
}

const char *client_problem(int error)
{
    static const char no_answer[] =
        "no reply within 10 s: the service hangs, or it delays this user's calls because they have "
        "used up the user's share of processor time (juggle.conf(5), cpu-percent-per-user)";

    return error == -ETIMEDOUT ? no_answer : strerror(-error);
}
