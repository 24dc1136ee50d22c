/* SPDX-License-Identifier: BSD-3-Clause */
/* The service's sockets: takes clients in, reads their calls, writes what is answered.
 *
 * Nothing here waits for a client, and what one may hold or ask is bounded: connections of a user
 * and how fast they come, the size of a call and of replies that are not taken, calls a second, and
 * the share of a processor that answering may take (juggled/care/budget.h). */
#ifndef JUGGLE_JUGGLED_CLIENTS_H
#define JUGGLE_JUGGLED_CLIENTS_H

#include "juggled/talk/credentials.h"
#include "libjuggle/varlink/message.h"

#include <systemd/sd-event.h>

/* Of timers of the loop: 0 would be 250 ms. */
enum { TIMER_ACCURACY_US = 1000 };

struct client;
struct clients;

struct clients_options {
    sd_event *event;
    int proc_fd; /* stays the caller's */
    gid_t admin_gid;
    /* Answers a call, by client_send, now or later; the call is released afterwards. `ended` tells
     * that a client is gone. */
    void (*call)(void *context, struct client *client, const struct call *call);
    void (*ended)(void *context, const struct client *client);
    void *context;
};

struct clients_limits {
    int per_user;
    int connects_per_second; /* of one user */
    int calls_per_second;    /* of one client */
    int share_ppm;           /* of a processor, that the calls of one user may take */
    int all_share_ppm;       /* and those of all but the privileged together */
};

struct clients_statistics {
    int clients_count;
    int64_t refused_count; /* connections */
    int64_t calls_count;
    int64_t throttled_count; /* calls that had to wait */
};

int clients_create(const struct clients_options *options, struct clients **clients) MUST_CHECK;
void clients_destroy(struct clients *clients);
/* The check of the list that failed first, or NULL. */
const char *clients_fault(const struct clients *clients);
/* Between two turns of the loop: see juggled/care/entries.h. */
void clients_sweep(struct clients *clients);
/* Before anything else. */
void clients_limit(struct clients *clients, const struct clients_limits *limits);

/* Takes clients in from a listening socket, which is its own from now on. */
int clients_listen(struct clients *clients, int fd) MUST_CHECK;

/* The same instead of where it listened until now. */
int clients_listen_anew(struct clients *clients, int fd) MUST_CHECK;

/* How often calls of the user had to wait for others to be paid for. */
int64_t clients_throttled(const struct clients *clients, uid_t uid);

void clients_statistics(const struct clients *clients, struct clients_statistics *statistics);

const struct credentials *client_peer_of(const struct client *client);

/* Work for a client that is no call, such as pictures that it watches, counts against its user,
 * too: it begins at this time or later, and is told when it is done. */
int64_t client_due_ns(const struct client *client);
void client_bill(struct client *client, int64_t cost_ns);

/* It has not taken all of what it was sent. */
bool client_is_behind(const struct client *client);

/* Takes the message, see connection_send. Calls that follow are answered later, by the loop, which
 * also drops a client that does not take its replies. */
void client_send(struct client *client, json_t *message, bool continues);

#endif
