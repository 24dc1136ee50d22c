/* SPDX-License-Identifier: BSD-3-Clause */
/* What client.c, which serves one client, and clients.c, which takes them in, both know. */
#ifndef JUGGLE_JUGGLED_CLIENT_PARTS_H
#define JUGGLE_JUGGLED_CLIENT_PARTS_H

#include "juggled/care/entries.h"
#include "juggled/talk/clients.h"
#include "libjuggle/varlink/bucket.h"

enum {
    USERS_MAX = 1024, /* that are remembered for their rate */
    LISTENERS_MAX = 4,
};

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
    struct credentials peer;
    struct user *user;
    struct connection *connection;
    sd_event_source *io, *timer;
    bool doomed;   /* the loop ends it */
    bool finished; /* it says no more, but may be answered still */
    bool unpaid;   /* a call of it waits until others are paid for */
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

/* In the list of its clients, which own it. -ENOMEM; -errno of the event loop. */
int client_add(struct clients *clients, int fd, const struct credentials *peer,
               struct user *user) MUST_CHECK;

/* Called by the loop alone, never from within a send. */
void client_end(struct client *client);
/* For entries. */
void client_destroy(void *entry);

#endif
