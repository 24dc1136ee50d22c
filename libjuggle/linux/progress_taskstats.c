/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's per-thread accounting over generic netlink, one query per thread and sample.
 *
 * A query is answered before send returns, so receiving never waits. A socket serves one caller at
 * a time; there is one for each caller. A caller takes the first free one, starting at the number
 * of its processor, so that bound balancer threads do not meet. `taken` is claimed by an acquiring
 * exchange and given back by a releasing store: only its holder uses the rest of a channel.
 *
 * A query names a thread by its number alone, which a new thread may have by now. A thread that
 * began after `opened_ns` is younger than the time since then, and its age is part of the
 * answer. */
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/progress.h"
#include "libjuggle/linux/taskstats_record.h"

#include <errno.h>
#include <linux/taskstats.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_SIZE = 4096 };

struct channel {
    atomic_bool taken;
    struct nl_sock *socket;
    struct nl_msg *request;
    struct nlattr *pid; /* in the request */
    _Alignas(NLMSG_ALIGNTO) char answer[ANSWER_SIZE];
};

struct asked_thread {
    pid_t tid;
    int64_t opened_ns;
};

struct taskstats_state {
    int proc_fd;
    int channels_count;
    struct channel *channels;
    struct asked_thread *threads;
};

/* ---- the answer ---- */

static int answer_parse(struct nlmsghdr *header, struct taskstats_record *record)
{
    struct nlattr *aggregate, *stats;

    if (header->nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *refusal = nlmsg_data(header);
        return refusal->error ? refusal->error : -EBADMSG;
    }
    aggregate = nlmsg_find_attr(header, GENL_HDRLEN, TASKSTATS_TYPE_AGGR_PID);
    stats = aggregate ? nla_find(nla_data(aggregate), nla_len(aggregate), TASKSTATS_TYPE_STATS)
                      : NULL;
    if (!stats)
        return -EBADMSG;
    return taskstats_record_parse(nla_data(stats), (size_t)nla_len(stats), record);
}

/* ---- a query ---- */

static int answer_receive(struct channel *channel, struct taskstats_record *record)
{
    struct nlmsghdr *header = (struct nlmsghdr *)channel->answer;
    uint32_t expected = nlmsg_hdr(channel->request)->nlmsg_seq;
    ssize_t length;

    do {
        length = recv(nl_socket_get_fd(channel->socket), channel->answer, ANSWER_SIZE,
                      MSG_DONTWAIT);
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            return -errno;
        if (!nlmsg_ok(header, (int)length))
            return -EBADMSG;
        /* Any other answer belongs to an earlier query that failed before it was received. */
    } while (length < 0 || header->nlmsg_seq != expected);
    return answer_parse(header, record);
}

static int channel_ask(struct channel *channel, pid_t tid, struct taskstats_record *record)
{
    struct nlmsghdr *header = nlmsg_hdr(channel->request);
    uint32_t number = (uint32_t)tid;
    ssize_t sent;

    memcpy(nla_data(channel->pid), &number, sizeof(number));
    header->nlmsg_seq++;
    do
        sent = send(nl_socket_get_fd(channel->socket), header, header->nlmsg_len, 0);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : answer_receive(channel, record);
}

static struct channel *channel_take(struct taskstats_state *taskstats)
{
    int first = sched_getcpu();

    for (int i = first < 0 ? 0 : first;; i++) {
        struct channel *channel = &taskstats->channels[i % taskstats->channels_count];
        if (!atomic_exchange_explicit(&channel->taken, true, memory_order_acquire))
            return channel;
    }
}

static void channel_give(struct channel *channel)
{
    atomic_store_explicit(&channel->taken, false, memory_order_release);
}

/* ---- channels ---- */

static void channel_close(struct channel *channel)
{
    nlmsg_free(channel->request);
    nl_socket_free(channel->socket);
}

static int request_build(int family, struct nl_sock *socket, struct channel *channel)
{
    struct nl_msg *request = nlmsg_alloc();

    if (!request)
        return -ENOMEM;
    if (!genlmsg_put(request, nl_socket_get_local_port(socket), 0, family, 0, NLM_F_REQUEST,
                     TASKSTATS_CMD_GET, TASKSTATS_GENL_VERSION) ||
        nla_put_u32(request, TASKSTATS_CMD_ATTR_PID, 0) < 0) {
        nlmsg_free(request);
        return -ENOMEM;
    }
    channel->request = request;
    channel->pid = nlmsg_find_attr(nlmsg_hdr(request), GENL_HDRLEN, TASKSTATS_CMD_ATTR_PID);
    return 0;
}

static int channel_open(struct channel *channel)
{
    int family;

    channel->socket = nl_socket_alloc();
    if (!channel->socket)
        return -ENOMEM;
    if (genl_connect(channel->socket) < 0)
        return -ENOTSUP;
    family = genl_ctrl_resolve(channel->socket, TASKSTATS_GENL_NAME);
    if (family < 0)
        return -ENOTSUP;
    return request_build(family, channel->socket, channel);
}

static void taskstats_close(void *state)
{
    struct taskstats_state *taskstats = state;

    for (int i = 0; taskstats->channels && i < taskstats->channels_count; i++)
        channel_close(&taskstats->channels[i]);
    free(taskstats->threads);
    free(taskstats->channels);
    free(taskstats);
}

static int channels_open(struct taskstats_state *taskstats)
{
    for (int i = 0; i < taskstats->channels_count; i++) {
        int error = channel_open(&taskstats->channels[i]);
        if (error)
            return error;
    }
    return 0;
}

static int taskstats_open(const struct progress_options *options, void **state)
{
    struct taskstats_state *taskstats = calloc(1, sizeof(*taskstats));
    int error = -ENOMEM;

    if (!taskstats)
        return -ENOMEM;
    taskstats->proc_fd = options->proc_fd;
    taskstats->channels_count = options->readers_max;
    taskstats->channels = calloc((size_t)options->readers_max, sizeof(taskstats->channels[0]));
    taskstats->threads = calloc((size_t)options->threads_max, sizeof(taskstats->threads[0]));
    if (!taskstats->channels || !taskstats->threads)
        goto fail;
    error = channels_open(taskstats);
    if (error)
        goto fail;
    *state = taskstats;
    return 0;

fail:
    taskstats_close(taskstats);
    return error;
}

/* ---- threads ---- */

static int taskstats_thread_read(void *state, int thread, struct sample *sample)
{
    struct taskstats_state *taskstats = state;
    const struct asked_thread *asked = &taskstats->threads[thread];
    struct channel *channel = channel_take(taskstats);
    int64_t now_ns = clock_now_ns();
    struct taskstats_record record = {0};
    int error = channel_ask(channel, asked->tid, &record);

    channel_give(channel);
    if (error)
        return error;
    /* The age is cut to microseconds. */
    if (record.age_ns + NSEC_PER_USEC < now_ns - asked->opened_ns)
        return -ESRCH;
    sample->now_ns = now_ns;
    sample->run_ns = record.run_ns;
    sample->wait_ns = record.wait_ns;
    sample->slices_count = record.slices_count;
    return 0;
}

static int taskstats_thread_open(void *state, int thread, const struct thread_id *id)
{
    struct taskstats_state *taskstats = state;
    struct sample sample;

    taskstats->threads[thread] = (struct asked_thread){.tid = id->tid, .opened_ns = clock_now_ns()};
    const int error = procfs_thread_check(taskstats->proc_fd, id);
    return error ? error : taskstats_thread_read(state, thread, &sample);
}

static void taskstats_thread_close(void *state, int thread)
{
    struct taskstats_state *taskstats = state;

    taskstats->threads[thread].tid = 0;
}

const struct progress_source progress_taskstats = {
    .name = "taskstats",
    .open = taskstats_open,
    .thread_open = taskstats_thread_open,
    .thread_read = taskstats_thread_read,
    .thread_close = taskstats_thread_close,
    .close = taskstats_close,
};
