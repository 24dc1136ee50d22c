/* SPDX-License-Identifier: BSD-3-Clause */
/* Structures shared by client.c, which serves one client, and clients.c, which accepts them. */
#ifndef JUGGLE_JUGGLED_CLIENT_PARTS_H
#define JUGGLE_JUGGLED_CLIENT_PARTS_H

#include "juggled/care/entries.h"
#include "juggled/talk/clients.h"
#include "juggled/talk/interruption.h"
#include "libjuggle/varlink/bucket.h"

enum {
    USERS_MAX = 1024, /* users whose rate is remembered */
    LISTENERS_MAX = 4,
};

struct user {
    uid_t uid;
    int clients_count;
    struct bucket connects;
    struct bucket calls; /* the time that pays for their calls */
    int64_t throttled_count, told_ns;
};

struct client {
    struct clients *clients;
    int fd;
    struct credentials peer;
    struct user *user;
    struct connection *connection;
    sd_event_source *io, *timer;
    bool to_be_ended; /* the loop will end it */
    bool finished;    /* it sends no more, but may still get answers */
    bool unpaid;      /* its next call waits until earlier ones are paid for */
};

struct clients {
    struct clients_options options;
    struct clients_limits limits;
    struct bucket calls; /* the time that pays for the calls of all but the privileged */
    struct entries list;
    sd_event_source *listeners[LISTENERS_MAX];
    int listeners_count;
    struct user users[USERS_MAX];
    int users_count;
    struct clients_statistics statistics;
    struct interruption interruption;
};

/* Adds a client to the list, which owns it. -ENOMEM; -errno of the event loop. */
int client_add(struct clients *clients, int fd, const struct credentials *peer,
               struct user *user) MUST_CHECK;

/* Only for the loop, never called from within a send. */
void client_end(struct client *client);
/* The destroy function of the list. */
void client_destroy(void *entry);

#endif
