/* SPDX-License-Identifier: BSD-3-Clause */
/* The asking side of Varlink: connects, calls, waits for replies. */
#ifndef JUGGLE_VARLINK_CLIENT_H
#define JUGGLE_VARLINK_CLIENT_H

#include "libjuggle/varlink/message.h"

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The path at which juggled listens. */
#define CLIENT_SOCKET "/run/juggle/io.juggle"

struct varlink_client;

/* Connects to a service. `path` is that of a socket, or '@' and the name of an abstract one. -errno
 * of connect; -ETIMEDOUT: it takes in nobody; -ENOMEM; as client_address. */
int client_connect(const char *path, struct varlink_client **client) MUST_CHECK;
void client_close(struct varlink_client *client);

/* Gets the user that listens at the other end. */
int client_peer(const struct varlink_client *client, uid_t *uid) MUST_CHECK;

/* Sends a call, and takes ownership of the parameters. With `more` there are replies until one does
 * not continue. -errno of send; -ETIMEDOUT: it reads nothing. */
int client_call(struct varlink_client *client, const char *method, json_t *parameters,
                bool more) MUST_CHECK;

/* Waits for the next reply, which may be an error of the service. -ECONNRESET: the service hung up;
 * -ETIMEDOUT: it does not answer; -EBADMSG, -EMSGSIZE: it does not speak the protocol. */
int client_reply(struct varlink_client *client, struct reply *reply) MUST_CHECK;

/* Returns in words why there is no reply. */
const char *client_problem(int error);

/* Poll this file descriptor for input to know when a reply comes. */
int client_fd(const struct varlink_client *client);

/* Makes the address of such a path. -EINVAL: the path is empty; -ENAMETOOLONG: it is longer than an
 * address. */
int client_address(const char *path, struct sockaddr_un *address, socklen_t *size) MUST_CHECK;

#endif
