/* SPDX-License-Identifier: BSD-3-Clause */
/* One client of a Varlink service as a state machine: bytes in, calls out; replies in, bytes out.
 *
 * Pure: the time is passed in, the socket is its owner's. One call is answered after the other;
 * while replies still follow to one, or are not taken, the calls behind it wait, and so do the
 * bytes behind those. */
#ifndef JUGGLE_VARLINK_CONNECTION_H
#define JUGGLE_VARLINK_CONNECTION_H

#include "libjuggle/varlink/message.h"

struct connection_limits {
    size_t call_size_max;
    size_t replies_size_max; /* that wait to be sent */
    int calls_per_second;
    int calls_burst;
    int64_t silence_ns; /* a client that asks nothing for this long is dropped... */
    int64_t stall_ns;   /* ...and so is one that does not take its replies for this long */
};

struct connection;

/* -ENOMEM. */
int connection_create(const struct connection_limits *limits, int64_t now_ns,
                      struct connection **connection) MUST_CHECK;
void connection_destroy(struct connection *connection);

/* The check that failed first, or NULL: the client is dropped. */
const char *connection_fault(const struct connection *connection);

/* Where bytes that are received go; *size is 0 while none are wanted. -ENOMEM. */
int connection_space(struct connection *connection, char **space, size_t *size) MUST_CHECK;
void connection_received(struct connection *connection, size_t size);

/* A call is there, or what is none; nothing is in its way but that it may come too soon. */
bool connection_waits(const struct connection *connection);
/* The client has been answered all that it has asked, and has taken it. */
bool connection_is_done(const struct connection *connection);

/* The next call to answer, by connection_send; whoever takes it releases it. -EAGAIN: none yet, a
 * reply is not taken, or it is too soon; -EMSGSIZE, -EBADMSG: the client does not speak the
 * protocol. */
int connection_call(struct connection *connection, int64_t now_ns, struct call *call) MUST_CHECK;

/* Takes `message`: a reply or an error to the last call; NULL stands for one that there was no
 * memory for. If it `continues`, it says so, and others follow. -ENOBUFS: the client leaves too
 * much untaken; -ENOMEM. A oneway call is answered, too: nothing is sent then. */
int connection_send(struct connection *connection, json_t *message, bool continues,
                    int64_t now_ns) MUST_CHECK;

/* What to send; NULL when all is sent. */
const char *connection_pending(const struct connection *connection, size_t *size);
void connection_sent(struct connection *connection, size_t size, int64_t now_ns);

/* When to look again for a call that came too soon, or whether to drop the client. */
int64_t connection_due_ns(const struct connection *connection);
/* True if the client was silent or slow for too long. */
bool connection_overdue(const struct connection *connection, int64_t now_ns);

#endif
