/* SPDX-License-Identifier: BSD-3-Clause */
/* Where no juggled serves the node: a small one of the user's own (juggled --coordinate), that
 * balances the processes of a job as they join it, and ends with the last of them.
 *
 * The first to join starts it. It belongs to none of them: it is detached before anybody can ask
 * it, so that the end of one is nothing to the others. */
#ifndef JUGGLE_JOIN_COORDINATOR_H
#define JUGGLE_JOIN_COORDINATOR_H

#include "libjuggle/varlink/client.h"

enum { COORDINATOR_ADDRESS_SIZE = 100 };

/* Where the coordinator of this user's job of that name listens. */
void coordinator_address(const char *name, char address[COORDINATOR_ADDRESS_SIZE]);

/* The one that listens there, which is started if there is none. -ENOTSUP: there is no juggled to
 * start; -EPERM: another user has taken its place; -errno of socket and posix_spawn. */
int coordinator_connect(const char *address, struct varlink_client **client) MUST_CHECK;

#endif
