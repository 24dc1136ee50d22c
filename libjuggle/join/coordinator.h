/* SPDX-License-Identifier: BSD-3-Clause */
/* The coordinator: if no juggled serves the node, a small one of the user's own (juggled
 * --coordinate) balances the processes of a job as they join it, and ends with the last of them.
 *
 * The first process that joins starts it. It is no child of theirs: it detaches itself before any
 * process can ask it, so that the end of one process does not affect the others. */
#ifndef JUGGLE_JOIN_COORDINATOR_H
#define JUGGLE_JOIN_COORDINATOR_H

#include "libjuggle/varlink/client.h"

enum { COORDINATOR_ADDRESS_SIZE = 100 };

/* Writes the address at which the coordinator of this user's job `name` listens. */
void coordinator_address(const char *name, char address[COORDINATOR_ADDRESS_SIZE]);

/* Connects to the coordinator at this address, and starts it if there is none. -ENOTSUP: there is
 * no juggled to start; -EPERM: another user has bound the address; -errno of socket and
 * posix_spawn. */
int coordinator_connect(const char *address, struct varlink_client **client) MUST_CHECK;

#endif
