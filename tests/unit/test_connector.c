/* SPDX-License-Identifier: BSD-3-Clause */
/* What the connector tells the kernel. A pair of sockets stands in for the kernel. */
#include "tests/lib/suite.h"

#include "libjuggle/linux/connector.h"

#include <sys/socket.h>
#include <unistd.h>

static struct connector connector;
static int kernel_fd;

static void begin(void)
{
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    connector = (struct connector){.fd = ends[0], .listens = true};
    kernel_fd = ends[1];
}

static int told_count(void)
{
    char message[256];
    int count = 0;

    while (recv(kernel_fd, message, sizeof(message), 0) > 0)
        count++;
    return count;
}

/* Kernels before 6.6 would count the second message as another connector's leaving. */
START_TEST(who_has_left_does_not_leave_again)
{
    begin();
    connector_listen(&connector, false);
    ck_assert_int_eq(told_count(), 1);
    connector_listen(&connector, false);
    connector_close(&connector);
    ck_assert_int_eq(told_count(), 0);
    connector_close(&connector);
    close(kernel_fd);
}

START_TEST(who_listens_leaves_when_it_closes)
{
    begin();
    connector_listen(&connector, false);
    connector_listen(&connector, true);
    ck_assert_int_eq(told_count(), 2);
    connector_close(&connector);
    ck_assert_int_eq(told_count(), 1);
    close(kernel_fd);
}

START_TEST(who_could_not_leave_tries_again)
{
    begin();
    const int fd = connector.fd;
    connector.fd = -1;
    connector_listen(&connector, false);
    ck_assert(connector.listens);
    connector.fd = fd;
    connector_close(&connector);
    ck_assert_int_eq(told_count(), 1);
    close(kernel_fd);
}

SUITE("connector")
