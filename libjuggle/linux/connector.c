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
    MESSAGE_SIZE = 256, /* in bytes; the rest of a longer one is cut off */
    MESSAGES_MAX = 32,  /* that are received at a time */
    ANSWERS_MAX = 64,   /* events of others that may come before the answer to our subscription */
};

static int request(int fd, enum proc_cn_mcast_op operation)
{
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

struct messages {
    _Alignas(NLMSG_ALIGNTO) char bytes[MESSAGES_MAX][MESSAGE_SIZE];
    struct mmsghdr headers[MESSAGES_MAX];
};

/* Returns how many, or -errno; -EAGAIN when nothing is waiting. */
static int messages_receive(int fd, struct messages *messages, unsigned count_max)
{
    struct iovec parts[MESSAGES_MAX];
    int count;

    for (unsigned i = 0; i < count_max; i++) {
        parts[i] = (struct iovec){.iov_base = messages->bytes[i], .iov_len = MESSAGE_SIZE};
        messages->headers[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[i], .msg_iovlen = 1}};
    }
    do
        count = recvmmsg(fd, messages->headers, count_max, MSG_DONTWAIT, NULL);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

static int message_event(const struct messages *messages, int index, struct proc_event *event)
{
    const size_t event_offset = NLMSG_HDRLEN + sizeof(struct cn_msg);
    const size_t length = messages->headers[index].msg_len;

    if (length < event_offset)
        return -EBADMSG;
    const size_t size = length - event_offset;
    /* Events have grown and may grow again; absent fields read as zero. */
    memset(event, 0, sizeof(*event));
    memcpy(event, messages->bytes[index] + event_offset,
           size < sizeof(*event) ? size : sizeof(*event));
    return 0;
}

/* The kernel answers the subscription before send returns. If there is no answer, there will be no
 * events, either. */
static int answer_await(int fd)
{
    struct messages messages;
    struct proc_event event;

    for (int i = 0; i < ANSWERS_MAX; i++) {
        const int count = messages_receive(fd, &messages, 1);
        if (count < 0)
            return count == -EAGAIN ? -ENOTSUP : count;
        int error = message_event(&messages, 0, &event);
        if (error)
            return error;
        if (event.what == PROC_EVENT_NONE)
            return -(int)event.event_data.ack.err;
    }
    return -ENOTSUP;
}

int connector_open(struct connector *connector)
{
    const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
    int error;

    connector->fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                           NETLINK_CONNECTOR);
    if (connector->fd < 0)
        return -ENOTSUP;
    error = bind(connector->fd, (const struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
    if (!error)
        error = request(connector->fd, PROC_CN_MCAST_LISTEN);
    connector->listens = !error;
    if (!error)
        error = answer_await(connector->fd);
    if (error)
        connector_close(connector);
    return error;
}

/* Kernels before 6.6 count listeners by these requests: if one process unsubscribes twice,
 * another's connector falls silent. So only changes are sent. */
void connector_listen(struct connector *connector, bool listens)
{
    if (connector->listens != listens &&
        !request(connector->fd, listens ? PROC_CN_MCAST_LISTEN : PROC_CN_MCAST_IGNORE))
        connector->listens = listens;
}

/* Unsubscribes first, because these kernels would count it as a listener for ever. */
void connector_close(struct connector *connector)
{
    if (connector->fd < 0)
        return;
    connector_listen(connector, false);
    close(connector->fd);
    connector->fd = -1;
}

static bool event_concerns(const struct proc_event *event, bool (*ours)(void *context, pid_t pid),
                           void *context)
{
    /* By its type this is a set of bits: later kernels have more of them. */
    switch ((uint32_t)event->what) {
    case PROC_EVENT_FORK:
        /* For a new thread, the kernel names the parent of its process as the parent. */
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

static enum connector_news messages_news(const struct messages *messages, int count,
                                         bool (*ours)(void *context, pid_t pid), void *context)
{
    enum connector_news news = CONNECTOR_SILENT;
    struct proc_event event;

    for (int i = 0; i < count; i++) {
        if (message_event(messages, i, &event) || event_concerns(&event, ours, context))
            return CONNECTOR_OURS;
        /* The answer to a request, our own or another's, is no news. */
        if (event.what != PROC_EVENT_NONE)
            news = CONNECTOR_OTHERS;
    }
    return news;
}

enum connector_news connector_hear(const struct connector *connector,
                                   bool (*ours)(void *context, pid_t pid), void *context)
{
    enum connector_news news = CONNECTOR_SILENT;
    struct messages messages;
    int count;

    while ((count = messages_receive(connector->fd, &messages, MESSAGES_MAX)) != -EAGAIN) {
        if (count < 0 && count != -ENOBUFS)
            return CONNECTOR_OURS;
        if (news == CONNECTOR_OURS)
            continue;
        const enum connector_news heard = count < 0
                                              ? CONNECTOR_OURS
                                              : messages_news(&messages, count, ours, context);
        news = heard > news ? heard : news;
    }
    return news;
}
