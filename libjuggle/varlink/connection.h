/* SPDX-License-Identifier: BSD-3-Clause */
/* One client of a Varlink service as a state machine: bytes in, calls out; replies in, bytes out.
 *
 * Pure: the time is passed in, and the owner has the socket. Calls are answered one after the
 * other. As long as a call has further replies, or the client has not taken its replies, the next
 * calls wait, and so do the bytes behind them. */
#ifndef JUGGLE_VARLINK_CONNECTION_H
#define JUGGLE_VARLINK_CONNECTION_H

#include "libjuggle/varlink/message.h"

struct connection_limits {
    size_t call_size_max;
    size_t replies_size_max; /* of replies that wait to be sent */
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

/* The check that failed first, or NULL. If one failed, drop the client. */
const char *connection_fault(const struct connection *connection);

/* Sets *space to where received bytes go; *size is 0 while none are wanted. -ENOMEM. */
int connection_space(struct connection *connection, char **space, size_t *size) MUST_CHECK;
void connection_received(struct connection *connection, size_t size);

/* True if a call has come, or a message that is none, and can be taken, unless it comes too
 * soon. */
bool connection_waits(const struct connection *connection);
/* True if all calls of the client have been answered, and the client has taken all replies. */
bool connection_is_done(const struct connection *connection);

/* Takes the next call, which the caller answers by connection_send and releases. -EAGAIN: there is
 * none yet, a reply is not taken, or it is too soon; -EMSGSIZE, -EBADMSG: the client does not speak
 * the protocol. */
int connection_call(struct connection *connection, int64_t now_ns, struct call *call) MUST_CHECK;

/* Sends a reply or an error to the last call, and takes ownership of `message`. NULL: there was no
 * memory for it. If it `continues`, the message says so, and others follow. -ENOBUFS: too many
 * bytes of replies wait for the client; -ENOMEM. A oneway call must be answered, too: nothing is
 * sent then. */
int connection_send(struct connection *connection, json_t *message, bool continues,
                    int64_t now_ns) MUST_CHECK;

/* The bytes to send; NULL when all are sent. */
const char *connection_pending(const struct connection *connection, size_t *size);
void connection_sent(struct connection *connection, size_t size, int64_t now_ns);

/* When to look again for a call that came too soon, or whether to drop the client. */
int64_t connection_due_ns(const struct connection *connection);
/* True if the client was silent or slow for too long. */
bool connection_overdue(const struct connection *connection, int64_t now_ns);

#endif
