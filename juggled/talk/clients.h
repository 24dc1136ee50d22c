/* SPDX-License-Identifier: BSD-3-Clause */
/* The service's sockets: accepts clients, reads their calls, writes the answers.
 *
 * No function here waits for a client. What a client may hold or ask for is bounded: the
 * connections of a user and their rate, the size of a call and of replies that the client has
 * not read, calls per second, and the share of a processor that answering may take
 * (juggled/care/budget.h). */
#ifndef JUGGLE_JUGGLED_CLIENTS_H
#define JUGGLE_JUGGLED_CLIENTS_H

#include "juggled/talk/credentials.h"
#include "libjuggle/varlink/message.h"

#include <systemd/sd-event.h>

/* Accuracy of the loop's timers; 0 would mean 250 ms. */
enum { TIMER_ACCURACY_US = 1000 };

struct client;
struct clients;

struct clients_options {
    sd_event *event;
    int proc_fd; /* remains the caller's */
    gid_t admin_gid;
    /* `call` answers a call by client_send, at once or later; the call is released when it
     * returns. `ended` is called when a client is gone. */
    void (*call)(void *context, struct client *client, const struct call *call);
    void (*ended)(void *context, const struct client *client);
    void *context;
};

struct clients_limits {
    int per_user;
    int connects_per_second; /* of one user */
    int calls_per_second;    /* of one client */
    int share_ppm;           /* share of a processor that the calls of one user may take */
    int all_share_ppm;       /* and the calls of all but the privileged together */
};

struct clients_statistics {
    int clients_count;
    int64_t refused_count; /* connections */
    int64_t calls_count;
    int64_t throttled_count; /* calls that had to wait */
};

int clients_create(const struct clients_options *options, struct clients **clients) MUST_CHECK;
void clients_destroy(struct clients *clients);
/* The first check of the list that failed, or NULL. */
const char *clients_fault(const struct clients *clients);
/* Frees ended clients. Call it between two turns of the loop; see juggled/care/entries.h. */
void clients_sweep(struct clients *clients);
/* Call it before anything else. */
void clients_limit(struct clients *clients, const struct clients_limits *limits);

/* Accepts clients from a listening socket, which it takes over. */
int clients_listen(struct clients *clients, int fd) MUST_CHECK;

/* Does the same, and closes the sockets where it listened before. */
int clients_listen_anew(struct clients *clients, int fd) MUST_CHECK;

/* How often calls of the user had to wait until earlier ones were paid for. */
int64_t clients_throttled(const struct clients *clients, uid_t uid);

void clients_statistics(const struct clients *clients, struct clients_statistics *statistics);

const struct credentials *client_peer_of(const struct client *client);

/* Work for a client that is not a call, such as sending pictures, is charged to its user, too.
 * Begin it at client_due_ns or later, and call client_bill when it is done. */
int64_t client_due_ns(const struct client *client);
void client_bill(struct client *client, int64_t cost_ns);

/* True if it has not read all that it was sent. */
bool client_is_behind(const struct client *client);

/* Sends the message, which it takes over; see connection_send. The loop answers further calls
 * later, and drops a client that does not read its replies. */
void client_send(struct client *client, json_t *message, bool continues);

#endif
