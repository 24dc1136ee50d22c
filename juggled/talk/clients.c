/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/clients.h"

#include "juggled/cpu_time.h"
#include "juggled/care/entries.h"
#include "juggled/care/limit.h"
#include "juggled/log.h"
#include "libjuggle/job/allowance.h"
#include "libjuggle/varlink/bucket.h"
#include "libjuggle/varlink/connection.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CALL_SIZE_MAX = 64 << 10,
    REPLIES_SIZE_MAX = 4 << 20,
    CONNECTS_BURST = 32,
    USERS_MAX = 1024, /* that are remembered for their rate */
    CLIENTS_MAX = 1024,
    LISTENERS_MAX = 4,
    /* Between two clients that are taken in the loop sees to everything else. */
    ACCEPT_INTERVAL_US = 2000,
};

#define SILENCE_NS (60 * NSEC_PER_SEC)
#define STALL_NS   (5 * NSEC_PER_SEC)
/* Who has asked for little may ask for so much at once. */
#define CREDIT_NS (10 * NSEC_PER_SEC)
/* Between two lines of the log on one user's calls that wait. */
#define THROTTLED_INTERVAL_NS (600 * NSEC_PER_SEC)

struct user {
    uid_t uid;
    int clients_count;
    struct bucket connects;
    struct bucket calls; /* their price, as time */
    int64_t throttled_count, told_ns;
};

struct client {
    struct clients *clients;
    int fd;
    struct peer peer;
    struct user *user;
    struct connection *connection;
    sd_event_source *io, *timer;
    bool doomed; /* the loop ends it */
    bool unpaid; /* a call of it may wait until others are paid for */
};

struct clients {
    struct clients_options options;
    struct clients_limits limits;
    struct bucket calls; /* of all but the privileged */
    struct entries list;
    sd_event_source *listeners[LISTENERS_MAX];
    int listeners_count;
    struct user users[USERS_MAX];
    int users_count;
    struct clients_statistics statistics;
};

/* ---- one client ---- */

static void client_destroy(void *entry)
{
    struct client *client = entry;

    sd_event_source_disable_unref(client->io);
    sd_event_source_disable_unref(client->timer);
    connection_destroy(client->connection);
    free(client);
}

/* Called by the loop alone, never from within a send. */
static void client_end(struct client *client)
{
    struct clients *clients = client->clients;

    clients->options.ended(clients->options.context, client);
    client->user->clients_count--;
    client->io = sd_event_source_disable_unref(client->io);
    client->timer = sd_event_source_disable_unref(client->timer);
    close(client->fd);
    entries_drop(&clients->list, client);
}

const struct peer *client_peer_of(const struct client *client)
{
    return &client->peer;
}

/* -EAGAIN when the client takes no more for now. */
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

/* What is cheap for a share is dear for half of it. */
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

/* Watches for what the client's state calls for next. `soon`: it is served again anyhow. */
static void client_expect(struct client *client, bool soon)
{
    const int64_t own_ns = connection_due_ns(client->connection);
    const int64_t paid_ns = client->unpaid ? client_due_ns(client) : INT64_MAX;
    const int64_t due_ns = soon ? 0 : min_i64(own_ns, paid_ns);
    uint32_t events = 0;
    size_t size;
    char *space;

    if (connection_space(client->connection, &space, &size) == 0 && size)
        events |= EPOLLIN;
    if (connection_pending(client->connection, &size))
        events |= EPOLLOUT;
    sd_event_source_set_io_events(client->io, events | EPOLLRDHUP);
    sd_event_source_set_enabled(client->timer,
                                due_ns == INT64_MAX ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
    sd_event_source_set_time(client->timer, (uint64_t)(due_ns / NSEC_PER_USEC) + 1);
}

/* A user who asks for much does so for long: the log is told once in a while. */
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

/* One call, if there is one that may be answered now. -EAGAIN: none; else as connection_call. */
static int call_answer(struct client *client)
{
    struct clients *clients = client->clients;
    const int64_t now_ns = clock_now_ns(), began_ns = cpu_time_process_ns();
    struct call call;

    const bool waited = client->unpaid;
    client->unpaid = client_due_ns(client) > now_ns;
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

/* Answers one call, if there is one that may be answered now. Others' come before the next. */
static void client_serve(struct client *client)
{
    const int error = client->doomed ? 0 : call_answer(client);

    if (client->doomed || (error && error != -EAGAIN))
        client_end(client);
    else
        client_expect(client, !error);
}

/* The caller may be in the middle of a walk, or of the end of a job: what follows is the loop's. */
void client_send(struct client *client, json_t *message, bool continues)
{
    int error = connection_send(client->connection, message, continues, clock_now_ns());

    if (!error)
        error = write_pending(client);
    client->doomed |= error && error != -EAGAIN;
    client_expect(client, client->doomed || !continues);
}

static int client_read(struct client *client)
{
    char *space;
    size_t size;
    int error = connection_space(client->connection, &space, &size);

    if (error || !size)
        return error;
    const ssize_t received = recv(client->fd, space, size, MSG_DONTWAIT);
    if (received < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    connection_received(client->connection, (size_t)received);
    return received ? 0 : -ECONNRESET;
}

static int on_client(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct client *client = context;
    int error = events & EPOLLIN ? client_read(client) : 0;

    (void)source;
    (void)fd;
    if (!error && events & EPOLLOUT)
        error = write_pending(client);
    if ((error && error != -EAGAIN) || events & (EPOLLHUP | EPOLLERR) ||
        (events & EPOLLRDHUP && !(events & EPOLLIN)))
        client_end(client);
    else
        client_serve(client);
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
        client_serve(client);
    return 0;
}

/* ---- taking in ---- */

/* Users without clients are forgotten when there is no room: the longest idle first. */
static struct user *user_of(struct clients *clients, uid_t uid, int64_t now_ns)
{
    struct user *idle = NULL;

    for (int i = 0; i < clients->users_count; i++) {
        struct user *user = &clients->users[i];
        if (user->uid == uid)
            return user;
        if (!user->clients_count && (!idle || user->connects.seen_ns < idle->connects.seen_ns))
            idle = user;
    }
    if (clients->users_count < USERS_MAX)
        idle = &clients->users[clients->users_count++];
    if (idle)
        *idle = (struct user){
            .uid = uid,
            .connects = bucket_full(clients->limits.connects_per_second, CONNECTS_BURST, now_ns),
            .calls = bucket_saved(CREDIT_NS, now_ns),
        };
    return idle;
}

/* False after saying what stands in the way of a client. */
static bool may_connect(const struct clients *clients, const struct peer *peer, struct user *user,
                        int64_t now_ns, char reason[LIMIT_TOLD_SIZE])
{
    const struct clients_limits *limits = &clients->limits;

    if (!user || clients->list.count >= CLIENTS_MAX)
        snprintf(reason, LIMIT_TOLD_SIZE, "more than %d connections", CLIENTS_MAX);
    else if (peer->uid != 0 && user->clients_count >= limits->per_user)
        limit_tell(limits->per_user, "connections of this user", "clients-per-user", reason);
    else if (!bucket_take(&user->connects, now_ns))
        limit_tell(limits->connects_per_second, "connects a second of this user",
                   "connects-per-second", reason);
    else
        return true;
    return false;
}

/* A client that is not taken is told why, if it takes that at once. */
static void refuse(struct clients *clients, int fd, const char *reason)
{
    json_t *message = error_make(JUGGLE_INTERFACE ".LimitReached",
                                 json_pack("{s:s}", "reason", reason));
    char *text = json_dumps(message, JSON_COMPACT);

    if (text)
        (void)!send(fd, text, strlen(text) + 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    free(text);
    json_decref(message);
    clients->statistics.refused_count++;
    close(fd);
}

static int client_watch(struct client *client)
{
    sd_event *event = client->clients->options.event;
    int error = sd_event_add_io(event, &client->io, client->fd, EPOLLIN, on_client, client);

    if (error >= 0)
        error = sd_event_add_time(event, &client->timer, CLOCK_MONOTONIC, UINT64_MAX, 0, on_due,
                                  client);
    /* What the service does for itself comes first. */
    if (error >= 0)
        error = sd_event_source_set_priority(client->io, SD_EVENT_PRIORITY_IDLE);
    return error < 0 ? error : 0;
}

static int client_add(struct clients *clients, int fd, const struct peer *peer, struct user *user,
                      int64_t now_ns)
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
    int error = client ? connection_create(&limits, now_ns, &client->connection) : -ENOMEM;

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

static int on_connect(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct clients *clients = context;
    const int64_t now_ns = clock_now_ns();
    struct peer peer;
    /* cppcheck-suppress nullPointer; who calls is asked of the kernel below */
    int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    (void)source;
    (void)events;
    if (accepted < 0)
        return 0;
    char reason[LIMIT_TOLD_SIZE] = "who connects is not known";
    if (peer_read(accepted, clients->options.proc_fd, clients->options.admin_gid, &peer) == 0) {
        struct user *user = user_of(clients, peer.uid, now_ns);
        if (may_connect(clients, &peer, user, now_ns, reason)) {
            if (client_add(clients, accepted, &peer, user, now_ns) == 0)
                return 0;
            snprintf(reason, sizeof(reason), "the service is out of memory");
        }
    }
    refuse(clients, accepted, reason);
    return 0;
}

int clients_listen(struct clients *clients, int fd)
{
    sd_event_source **source = &clients->listeners[clients->listeners_count];

    if (clients->listeners_count == LISTENERS_MAX)
        return -ENOSPC;
    int error = sd_event_add_io(clients->options.event, source, fd, EPOLLIN, on_connect, clients);
    if (error >= 0)
        error = sd_event_source_set_ratelimit(*source, ACCEPT_INTERVAL_US * CONNECTS_BURST,
                                              CONNECTS_BURST);
    if (error >= 0)
        error = sd_event_source_set_priority(*source, SD_EVENT_PRIORITY_IDLE);
    if (error < 0)
        return error;
    sd_event_source_set_io_fd_own(*source, 1);
    clients->listeners_count++;
    return 0;
}

static void listeners_end(struct clients *clients)
{
    for (int i = 0; i < clients->listeners_count; i++)
        clients->listeners[i] = sd_event_source_disable_unref(clients->listeners[i]);
    clients->listeners_count = 0;
}

int clients_listen_anew(struct clients *clients, int fd)
{
    listeners_end(clients);
    return clients_listen(clients, fd);
}

/* ---- create, destroy ---- */

int clients_create(const struct clients_options *options, struct clients **result)
{
    struct clients *clients = calloc(1, sizeof(*clients));

    if (!clients)
        return -ENOMEM;
    clients->options = *options;
    clients->list = (struct entries){.destroy = client_destroy};
    clients->calls = bucket_saved(CREDIT_NS, clock_now_ns());
    *result = clients;
    return 0;
}

void clients_sweep(struct clients *clients)
{
    entries_sweep(&clients->list);
}

void clients_destroy(struct clients *clients)
{
    struct client *client;
    int cursor = 0;

    if (!clients)
        return;
    while ((client = entries_next(&clients->list, &cursor)))
        client_end(client);
    entries_release(&clients->list);
    listeners_end(clients);
    free(clients);
}

void clients_limit(struct clients *clients, const struct clients_limits *limits)
{
    clients->limits = *limits;
}

int64_t clients_throttled(const struct clients *clients, uid_t uid)
{
    for (int i = 0; i < clients->users_count; i++)
        if (clients->users[i].uid == uid)
            return clients->users[i].throttled_count;
    return 0;
}

void clients_statistics(const struct clients *clients, struct clients_statistics *statistics)
{
    *statistics = clients->statistics;
    statistics->clients_count = clients->list.count;
}
