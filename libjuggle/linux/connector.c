/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/connector.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    MESSAGE_SIZE = 1024,
    ANSWERS_MAX = 64, /* events of others that may come before the answer to our subscription */
};

static int subscribe(int fd)
{
    const enum proc_cn_mcast_op operation = PROC_CN_MCAST_LISTEN;
    const struct cn_msg message = {
        .id = {.idx = CN_IDX_PROC, .val = CN_VAL_PROC},
        .len = sizeof(operation),
    };
    const struct nlmsghdr header = {
        .nlmsg_len = NLMSG_LENGTH(sizeof(message) + sizeof(operation)),
        .nlmsg_type = NLMSG_DONE,
    };
    const struct iovec parts[] = {
        {.iov_base = (void *)&header, .iov_len = sizeof(header)},
        {.iov_base = (void *)&message, .iov_len = sizeof(message)},
        {.iov_base = (void *)&operation, .iov_len = sizeof(operation)},
    };

    return writev(fd, parts, ARRAY_COUNT(parts)) < 0 ? -errno : 0;
}

/* 0, or -errno; -EAGAIN when nothing is waiting. */
static int event_receive(int fd, struct proc_event *event)
{
    const size_t event_offset = NLMSG_HDRLEN + sizeof(struct cn_msg);
    _Alignas(NLMSG_ALIGNTO) char message[MESSAGE_SIZE];
    ssize_t length;

    do
        length = recv(fd, message, sizeof(message), 0);
    while (length < 0 && errno == EINTR);
    if (length < 0)
        return -errno;
    if ((size_t)length < event_offset)
        return -EBADMSG;
    /* Events have grown and may grow again; what is absent reads as zero. */
    memset(event, 0, sizeof(*event));
    size_t size = (size_t)length - event_offset;
    memcpy(event, message + event_offset, size < sizeof(*event) ? size : sizeof(*event));
    return 0;
}

/* The subscription is answered before send returns; where nobody answers, nobody will speak. */
static int answer_await(int fd)
{
    struct proc_event event;

    for (int i = 0; i < ANSWERS_MAX; i++) {
        int error = event_receive(fd, &event);
        if (error)
            return error == -EAGAIN ? -ENOTSUP : error;
        if (event.what == PROC_EVENT_NONE)
            return -(int)event.event_data.ack.err;
    }
    return -ENOTSUP;
}

int connector_open(int *fd)
{
    const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
    int error;
    int opened = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);

    if (opened < 0)
        return -ENOTSUP;
    if (bind(opened, (const struct sockaddr *)&address, sizeof(address)) < 0) {
        error = -errno;
        goto fail;
    }
    error = subscribe(opened);
    if (error)
        goto fail;
    error = answer_await(opened);
    if (error)
        goto fail;
    *fd = opened;
    return 0;

fail:
    close(opened);
    return error;
}

static bool event_concerns(const struct proc_event *event, bool (*ours)(void *context, pid_t pid),
                           void *context)
{
    /* A set of bits by its type: later kernels have more of them. */
    switch ((uint32_t)event->what) {
    case PROC_EVENT_FORK:
        /* The parent of a new thread is the parent of its process. */
        return ours(context, event->event_data.fork.parent_tgid) ||
               ours(context, event->event_data.fork.child_tgid);
    case PROC_EVENT_EXEC:
        return ours(context, event->event_data.exec.process_tgid);
    case PROC_EVENT_COMM:
        return ours(context, event->event_data.comm.process_tgid);
    case (uint32_t)PROC_EVENT_EXIT:
        return ours(context, event->event_data.exit.process_tgid);
    default:
        return false;
    }
}

bool connector_hear(int fd, bool (*ours)(void *context, pid_t pid), void *context)
{
    struct proc_event event;
    bool concerned = false;
    int error;

    while ((error = event_receive(fd, &event)) != -EAGAIN) {
        if (error == -ENOBUFS)
            concerned = true;
        else if (error)
            return true;
        else
            concerned |= event_concerns(&event, ours, context);
    }
    return concerned;
}
