/* SPDX-License-Identifier: BSD-3-Clause */
/* The client side, when the program gets signals, and when no service answers. */
#include "libjuggle/varlink/client.h"
#include "libjuggle/varlink/listener.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int interruptions, patience_ms[4], polls_count;
static bool connect_is_interrupted; /* one call only */

/* Stands in for poll(): interrupted some times, then returns at once. */
int poll(struct pollfd *watched, nfds_t count, int timeout_ms)
{
    const struct timespec pause = {0, 2 * NSEC_PER_MSEC}, none = {0};

    patience_ms[polls_count++ % 4] = timeout_ms;
    if (interruptions-- <= 0)
        return (int)syscall(SYS_ppoll, watched, count, &none, NULL, 0);
    nanosleep(&pause, NULL);
    errno = EINTR;
    return -1;
}

ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    const ssize_t got = syscall(SYS_recvfrom, fd, bytes, size, flags | MSG_DONTWAIT, NULL, NULL);

    ck_assert_msg(got >= 0 || errno != EAGAIN, "it would wait for ever");
    return got;
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    const int flags = fcntl(fd, F_GETFL);

    if (connect_is_interrupted) {
        connect_is_interrupted = false;
        errno = EINTR;
        return -1;
    }
    ck_assert_int_eq(fcntl(fd, F_SETFL, flags | O_NONBLOCK), 0);
    const int connected = (int)syscall(SYS_connect, fd, address, size);
    const int error = errno;
    ck_assert_msg(!connected || error != EAGAIN || flags & O_NONBLOCK, "it would wait for ever");
    ck_assert_int_eq(fcntl(fd, F_SETFL, flags), 0);
    errno = error;
    return connected;
}

static char path[80];

static int listen_here(void)
{
    int fd;

    scratch_name(path, sizeof(path));
    ck_assert_int_eq(listener_open(path, 0600, &fd), 0);
    return fd;
}

static void listen_no_more(int fd)
{
    close(fd);
    ck_assert_int_eq(unlink(path), 0);
}

START_TEST(who_is_interrupted_waits_no_longer)
{
    const int listener = listen_here();
    struct varlink_client *client;
    struct reply reply;

    connect_is_interrupted = true;
    ck_assert_int_eq(client_connect(path, &client), 0);
    interruptions = 3;
    ck_assert_int_eq(client_reply(client, &reply), -ETIMEDOUT);
    ck_assert_int_eq(polls_count, 4);
    ck_assert_int_lt(patience_ms[3], patience_ms[0]);
    client_close(client);
    listen_no_more(listener);
}

/* This happens with the last picture of a job that ends as soon as it is watched. */
START_TEST(each_reply_is_told_of_though_it_came_with_another)
{
    static const char two[] = "{\"continues\":true}\0{}";
    const int listener = listen_here();
    struct varlink_client *client;
    struct reply reply;

    ck_assert_int_eq(client_connect(path, &client), 0);
    const int fd = accept(listener, NULL, NULL);
    ck_assert_int_eq(send(fd, two, sizeof(two), 0), sizeof(two));
    for (int left = 1; left >= 0; left--) {
        struct pollfd readable = {.fd = client_fd(client), .events = POLLIN};
        ck_assert_int_eq(poll(&readable, 1, 0), 1);
        ck_assert_int_eq(client_reply(client, &reply), 0);
        ck_assert_int_eq(reply.continues, left);
        reply_release(&reply);
        ck_assert_int_eq(poll(&readable, 1, 0), left);
    }
    close(fd);
    client_close(client);
    listen_no_more(listener);
}

START_TEST(a_path_that_is_no_address_is_told)
{
    char long_path[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
    struct sockaddr_un address;
    struct varlink_client *client;
    socklen_t size;
    int fd;

    memset(long_path, 'a', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    ck_assert_int_eq(client_connect(long_path, &client), -ENAMETOOLONG);
    ck_assert_int_eq(listener_open(long_path, 0600, &fd), -ENAMETOOLONG);
    long_path[sizeof(long_path) - 2] = '\0';
    ck_assert_int_eq(client_address(long_path, &address, &size), 0);
    ck_assert_int_eq(client_address("", &address, &size), -EINVAL);
}

START_TEST(a_listener_whom_many_wait_for_is_there)
{
    const int listener = listen_here();
    struct sockaddr_un address;
    socklen_t size;
    int waiting[8], count = 0, fd, connected;

    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(client_address(path, &address, &size), 0);
    do {
        ck_assert_int_lt(count, 8);
        waiting[count] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connected = connect(waiting[count++], (struct sockaddr *)&address, size);
    } while (!connected);
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert_int_eq(listener_open(path, 0600, &fd), -EADDRINUSE);
    while (count--)
        close(waiting[count]);
    listen_no_more(listener);
}

SUITE("varlink client")
