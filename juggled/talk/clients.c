/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/client_parts.h"

#include "juggled/rules/config.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTS_BURST = 32,
    CLIENTS_MAX = 1024,
    CLIENTS_OF_USERS_MAX = CLIENTS_MAX - CLIENTS_MAX / 8, /* the others are reserved for root */
    /* Mean interval of accepting clients; the loop handles all other events in between. */
    ACCEPT_INTERVAL_US = 2000,
};

/* The answering time that a user with few calls may save up. */
#define CREDIT_NS (10 * NSEC_PER_SEC)

/* ---- taking in ---- */

/* Returns the user's entry, a new one if there is none. If there is no room, replaces the user
 * without clients that has been idle longest. NULL if there is none. */
static struct user *user_of(struct clients *clients, uid_t uid, int64_t now_ns)
{
    struct user *idle = NULL;

    if (!HOLDS(&clients->list.fault,
               clients->users_count >= 0 && clients->users_count <= USERS_MAX))
        return NULL;
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

/* False if a limit refuses the client; `reason` names it. */
static bool may_connect(const struct clients *clients, const struct credentials *peer,
                        struct user *user, int64_t now_ns, char reason[CONFIG_LIMIT_SIZE])
{
    const struct clients_limits *limits = &clients->limits;
    const int clients_max = peer->uid == 0 ? CLIENTS_MAX : CLIENTS_OF_USERS_MAX;

    if (!user || clients->list.count >= clients_max)
        snprintf(reason, CONFIG_LIMIT_SIZE, "more than %d connections", clients_max);
    else if (peer->uid != 0 && user->clients_count >= limits->per_user)
        config_tell_limit(limits->per_user, "connections of this user", "clients-per-user", reason);
    else if (!bucket_take(&user->connects, now_ns))
        config_tell_limit(limits->connects_per_second, "connects a second of this user",
                          "connects-per-second", reason);
    else
        return true;
    return false;
}

/* Tells a refused client why, if it accepts that at once, and closes its connection. */
static void refuse(struct clients *clients, int fd, const char *reason)
{
    json_t *message = error_make(JUGGLE_INTERFACE ".LimitReached",
                                 json_pack("{s:s, s:b}", "reason", reason, "again", 1));
    char *text = json_dumps(message, JSON_COMPACT);

    if (text)
        (void)!send(fd, text, strlen(text) + 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    free(text);
    json_decref(message);
    clients->statistics.refused_count++;
    interruption_close(&clients->interruption, fd);
}

static int on_connect(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct clients *clients = context;
    const int64_t now_ns = clock_now_ns();
    struct credentials peer;
    /* cppcheck-suppress nullPointer; credentials_read asks the kernel for the peer */
    int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    (void)source;
    (void)events;
    if (accepted < 0)
        return 0;
    char reason[CONFIG_LIMIT_SIZE] = "who connects is not known";
    if (credentials_read(accepted, clients->options.proc_fd, clients->options.admin_gid, &peer) ==
        0) {
        struct user *user = user_of(clients, peer.uid, now_ns);
        if (may_connect(clients, &peer, user, now_ns, reason)) {
            if (client_add(clients, accepted, &peer, user) == 0)
                return 0;
            snprintf(reason, sizeof(reason), "the service is out of memory");
        }
    }
    refuse(clients, accepted, reason);
    return 0;
}

int clients_listen(struct clients *clients, int fd)
{
    if (!HOLDS(&clients->list.fault, clients->listeners_count >= 0) ||
        !HOLDS(&clients->list.fault, clients->listeners_count <= LISTENERS_MAX) ||
        clients->listeners_count == LISTENERS_MAX)
        return -ENOSPC;
    sd_event_source **source = &clients->listeners[clients->listeners_count];
    int error = sd_event_add_io(clients->options.event, source, fd, EPOLLIN, on_connect, clients);
    if (error >= 0)
        error = sd_event_source_set_ratelimit(*source, ACCEPT_INTERVAL_US * CONNECTS_BURST,
                                              CONNECTS_BURST);
    if (error >= 0)
        error = sd_event_source_set_priority(*source, SD_EVENT_PRIORITY_IDLE);
    if (error < 0) {
        *source = sd_event_source_disable_unref(*source);
        return error;
    }
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
    interruption_init(&clients->interruption);
    *result = clients;
    return 0;
}

const char *clients_fault(const struct clients *clients)
{
    return fault_text(&clients->list.fault);
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
    interruption_release(&clients->interruption);
    free(clients);
}

void clients_limit(struct clients *clients, const struct clients_limits *limits)
{
    const int64_t now_ns = clock_now_ns();

    clients->limits = *limits;
    for (int i = 0; i < clients->users_count; i++)
        clients->users[i].connects = bucket_full(limits->connects_per_second, CONNECTS_BURST,
                                                 now_ns);
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
