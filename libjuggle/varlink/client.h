/* SPDX-License-Identifier: BSD-3-Clause */
/* The asking side of Varlink: connects, calls, waits for replies. */
#ifndef JUGGLE_VARLINK_CLIENT_H
#define JUGGLE_VARLINK_CLIENT_H

#include "libjuggle/varlink/message.h"

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Where juggled listens. */
#define CLIENT_SOCKET "/run/juggle/io.juggle"

struct varlink_client;

/* `path` is of a socket, or the name of an abstract one behind '@'. -errno of connect; -ENOMEM;
 * -EINVAL: longer than an address. */
int client_connect(const char *path, struct varlink_client **client) MUST_CHECK;
void client_close(struct varlink_client *client);

/* The user that listens at the other end. */
int client_peer(const struct varlink_client *client, uid_t *uid) MUST_CHECK;

/* Takes the parameters. With `more` there are replies until one does not continue. -errno of
 * send. */
int client_call(struct varlink_client *client, const char *method, json_t *parameters,
                bool more) MUST_CHECK;

/* The next reply, an error of the service among them. -ECONNRESET: it hung up; -ETIMEDOUT: it does
 * not answer; -EBADMSG, -EMSGSIZE: it does not speak the protocol. */
int client_reply(struct varlink_client *client, struct reply *reply) MUST_CHECK;

/* Why there is none, in words. */
const char *client_problem(int error);

/* Poll it for input to know when a reply comes. */
int client_fd(const struct varlink_client *client);

/* The address of such a path. */
int client_address(const char *path, struct sockaddr_un *address, socklen_t *size) MUST_CHECK;

#endif
