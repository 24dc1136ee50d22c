/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/client_parts.h"

#include "juggled/cpu_time.h"
#include "juggled/log.h"
#include "libjuggle/job/allowance.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/varlink/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CALL_SIZE_MAX = 64 << 10,
    REPLIES_SIZE_MAX = 4 << 20,
};

#define SILENCE_NS (60 * NSEC_PER_SEC)
#define STALL_NS   (5 * NSEC_PER_SEC)
/* Interval between two log lines about waiting calls of one user. */
#define THROTTLED_INTERVAL_NS (600 * NSEC_PER_SEC)

void client_destroy(void *entry)
{
    struct client *client = entry;

    sd_event_source_disable_unref(client->io);
    sd_event_source_disable_unref(client->timer);
    connection_destroy(client->connection);
    free(client);
}

void client_end(struct client *client)
{
    struct clients *clients = client->clients;

    const char *fault = connection_fault(client->connection);

    if (fault)
        log_tell(LOG_ERR, NULL, "a client is dropped as a check failed (%s): please report it",
                 fault);
    clients->options.ended(clients->options.context, client);
    if (HOLDS(&clients->list.fault, client->user->clients_count > 0))
        client->user->clients_count--;
    client->io = sd_event_source_disable_unref(client->io);
    client->timer = sd_event_source_disable_unref(client->timer);
    interruption_close(&clients->interruption, client->fd);
    entries_drop(&clients->list, client);
}

const struct credentials *client_peer_of(const struct client *client)
{
    return &client->peer;
}

/* -EAGAIN if the client accepts no more data for now. */
static int write_pending(struct client *client)
{
    size_t size;
    const char *bytes = connection_pending(client->connection, &size);

    while (bytes) {
        const ssize_t sent = send(client->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0)
            return -errno;
        connection_sent(client->connection, (size_t)sent, clock_now_ns());
        bytes = connection_pending(client->connection, &size);
    }
    return 0;
}

int64_t client_due_ns(const struct client *client)
{
    const int64_t own_ns = bucket_paid_ns(&client->user->calls);

    return client->peer.privileged ? own_ns
                                   : max_i64(own_ns, bucket_paid_ns(&client->clients->calls));
}

bool client_is_behind(const struct client *client)
{
    size_t size;

    return connection_pending(client->connection, &size);
}

/* The price of a call is its cost divided by the share: half the share doubles it. */
static int64_t price_ns(int64_t cost_ns, int share_ppm)
{
    return cost_ns * SHARE_ALL_PPM / share_ppm;
}

void client_bill(struct client *client, int64_t cost_ns)
{
    struct clients *clients = client->clients;
    const struct clients_limits *limits = &clients->limits;
    const int64_t now_ns = clock_now_ns();

    bucket_pay(&client->user->calls, price_ns(cost_ns, limits->share_ppm), now_ns);
    if (!client->peer.privileged)
        bucket_pay(&clients->calls, price_ns(cost_ns, limits->all_share_ppm), now_ns);
}

/* Sets the events that the client waits for next. `soon`: it is served again at once. */
static void client_expect(struct client *client, bool soon)
{
    const int64_t own_ns = connection_due_ns(client->connection);
    const int64_t paid_ns = client->unpaid ? client_due_ns(client) : INT64_MAX;
    const int64_t due_ns = soon ? 0 : min_i64(own_ns, paid_ns);
    uint32_t events = 0;
    size_t size;
    char *space;

    if (!client->finished && connection_space(client->connection, &space, &size) == 0 && size)
        events |= EPOLLIN;
    if (connection_pending(client->connection, &size))
        events |= EPOLLOUT;
    sd_event_source_set_io_events(client->io, events);
    sd_event_source_set_enabled(client->timer,
                                due_ns == INT64_MAX ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
    sd_event_source_set_time(client->timer, (uint64_t)(due_ns / NSEC_PER_USEC) + 1);
}

/* Counts a call that has to wait. It is logged only once in a while, because such a user will
 * have many. */
static void throttled(struct client *client, int64_t now_ns)
{
    struct user *user = client->user;

    user->throttled_count++;
    client->clients->statistics.throttled_count++;
    if (user->told_ns && now_ns - user->told_ns < THROTTLED_INTERVAL_NS)
        return;
    user->told_ns = now_ns;
    log_tell(LOG_NOTICE, NULL,
             "calls of user %u wait: answering them has taken its share of a processor",
             (unsigned)user->uid);
}

/* Answers one call, if there is one that may be answered now; otherwise -EAGAIN. Errors as
 * connection_call. */
static int call_answer(struct client *client)
{
    struct clients *clients = client->clients;
    const int64_t now_ns = clock_now_ns(), began_ns = cpu_time_process_ns();
    struct call call;

    const bool waited = client->unpaid;
    client->unpaid = connection_waits(client->connection) && client_due_ns(client) > now_ns;
    if (client->unpaid && !waited)
        throttled(client, now_ns);
    if (client->unpaid)
        return -EAGAIN;
    int error = connection_call(client->connection, now_ns, &call);
    if (error)
        return error;
    clients->statistics.calls_count++;
    clients->options.call(clients->options.context, client, &call);
    call_release(&call);
    client_bill(client, cpu_time_process_ns() - began_ns);
    return 0;
}

/* Answers one call, if there is one that may be answered now; calls of other clients come before
 * its next one. The calls of a client that is `gone` are answered, too, unless they would have
 * to wait. */
static void client_serve(struct client *client, bool gone)
{
    const int error = client->to_be_ended ? 0 : call_answer(client);
    const bool over = gone || (client->finished && connection_is_done(client->connection));

    if (client->to_be_ended || (error && error != -EAGAIN) || (error && over))
        client_end(client);
    else
        client_expect(client, !error);
}

/* The caller may be walking a list or ending a job, so a client that fails is only marked, and
 * ended by the loop. */
void client_send(struct client *client, json_t *message, bool continues)
{
    int error = connection_send(client->connection, message, continues, clock_now_ns());

    if (!error)
        error = write_pending(client);
    client->to_be_ended |= error && error != -EAGAIN;
    client_expect(client, client->to_be_ended || !continues);
}

static int client_read(struct client *client)
{
    char *space;
    size_t size;
    int error = connection_space(client->connection, &space, &size);

    if (error || !size)
        return error;
    const ssize_t received = interruption_receive(&client->clients->interruption, client->fd, space,
                                                  size);
    if (received < 0)
        return received == -EAGAIN || received == -EINTR ? 0 : (int)received;
    connection_received(client->connection, (size_t)received);
    client->finished = !received;
    return 0;
}

static int on_client(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct client *client = context;
    int error = events & EPOLLIN ? client_read(client) : 0;

    (void)source;
    (void)fd;
    if (!error && events & EPOLLOUT)
        error = write_pending(client);
    if (error && error != -EAGAIN)
        client_end(client);
    else
        client_serve(client, events & (EPOLLHUP | EPOLLERR));
    return 0;
}

static int on_due(sd_event_source *source, uint64_t usec, void *context)
{
    struct client *client = context;

    (void)source;
    (void)usec;
    if (connection_overdue(client->connection, clock_now_ns()))
        client_end(client);
    else
        client_serve(client, false);
    return 0;
}

static int client_watch(struct client *client)
{
    sd_event *event = client->clients->options.event;
    int error = sd_event_add_io(event, &client->io, client->fd, EPOLLIN, on_client, client);

    if (error >= 0)
        error = sd_event_add_time(event, &client->timer, CLOCK_MONOTONIC, UINT64_MAX,
                                  TIMER_ACCURACY_US, on_due, client);
    /* Clients have a lower priority than the service's own work, and all of them the same. */
    if (error >= 0)
        error = sd_event_source_set_priority(client->io, SD_EVENT_PRIORITY_IDLE);
    if (error >= 0)
        error = sd_event_source_set_priority(client->timer, SD_EVENT_PRIORITY_IDLE);
    return error < 0 ? error : 0;
}

int client_add(struct clients *clients, int fd, const struct credentials *peer, struct user *user)
{
    const struct connection_limits limits = {
        .call_size_max = CALL_SIZE_MAX,
        .replies_size_max = REPLIES_SIZE_MAX,
        .calls_per_second = clients->limits.calls_per_second,
        .calls_burst = clients->limits.calls_per_second,
        .silence_ns = SILENCE_NS,
        .stall_ns = STALL_NS,
    };
    struct client *client = calloc(1, sizeof(*client));
    int error = client ? connection_create(&limits, clock_now_ns(), &client->connection) : -ENOMEM;

    if (error) {
        free(client);
        return error;
    }
    client->clients = clients;
    client->fd = fd;
    client->peer = *peer;
    client->user = user;
    error = client_watch(client);
    if (!error)
        error = entries_add(&clients->list, client);
    if (error) {
        client_destroy(client);
        return error;
    }
    user->clients_count++;
    client_expect(client, false);
    return 0;
}
