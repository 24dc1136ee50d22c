/* SPDX-License-Identifier: BSD-3-Clause */
/* The service's socket is created again as often as necessary. */
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"
#include "tests/lib/told.h"

#include "juggled/socket_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int listened_error, listened_fd;
static bool listen_fails;

int listen(int fd, int backlog)
{
    errno = ENOMEM;
    return listen_fails ? -1 : (int)syscall(SYS_listen, fd, backlog);
}

int clients_listen_anew(struct clients *clients, int fd)
{
    (void)clients;
    listened_fd = fd;
    return listened_error;
}

START_TEST(what_nobody_could_listen_on_is_tried_again)
{
    struct socket_file file;
    char path[80];

    scratch_name(path, sizeof(path));
    file = socket_file_at(path);
    listened_error = -ENOMEM;
    for (int i = 0; i < 2; i++) {
        listened_fd = -1;
        socket_file_renew(&file, NULL);
        ck_assert_int_ge(listened_fd, 0);
        ck_assert_int_eq(fcntl(listened_fd, F_GETFD), -1);
        ck_assert_int_eq(access(path, F_OK), -1);
    }
    listen_fails = true;
    socket_file_renew(&file, NULL);
    ck_assert_int_eq(access(path, F_OK), -1);
    listen_fails = false;
    ck_assert_int_eq(told_count, 1);
    listened_error = 0;
    socket_file_renew(&file, NULL);
    ck_assert_int_eq(told_count, 2);
    ck_assert_int_eq(access(path, F_OK), 0);
    socket_file_remove(&file);
    ck_assert_int_eq(access(path, F_OK), -1);
    close(listened_fd);
}

SUITE("socket file")
