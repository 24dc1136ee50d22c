/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/interruption.h"

#include "libjuggle/ground/units.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#define INTERVAL_NS NSEC_PER_MSEC

static void on_signal(int number)
{
    (void)number;
}

void interruption_init(struct interruption *interruption)
{
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD_ID,
        .sigev_signo = SIGALRM,
        ._sigev_un._tid = gettid(),
    };

    sigaction(SIGALRM, &action, NULL);
    interruption->exists = timer_create(CLOCK_MONOTONIC, &event, &interruption->timer) == 0;
}

void interruption_release(struct interruption *interruption)
{
    if (interruption->exists)
        timer_delete(interruption->timer);
    interruption->exists = false;
}

/* Begins to send signals; with an interval of 0 ends that. */
static void signals_set(const struct interruption *interruption, int64_t interval_ns)
{
    const struct timespec interval = {.tv_nsec = interval_ns};
    const struct itimerspec times = {interval, interval};

    if (interruption->exists)
        timer_settime(interruption->timer, 0, &times, NULL);
}

void interruption_close(const struct interruption *interruption, int fd)
{
    signals_set(interruption, INTERVAL_NS);
    close(fd);
    signals_set(interruption, 0);
}

ssize_t interruption_receive(const struct interruption *interruption, int fd, char *space,
                             size_t size)
{
    struct iovec into = {space, size};
    struct msghdr message = {.msg_iov = &into, .msg_iovlen = 1};

    signals_set(interruption, INTERVAL_NS);
    const ssize_t received = recvmsg(fd, &message, MSG_DONTWAIT);
    const int error = errno;
    signals_set(interruption, 0);
    if (received < 0)
        return -error;
    return message.msg_flags & MSG_CTRUNC ? -EBADMSG : received;
}
