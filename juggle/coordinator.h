/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where there is no juggled: a small process of the user's own that balances the processes of a job
 * as they join it, and ends with the last of them.
 *
 * The first to join starts it. It belongs to none of them: it is detached before anybody can ask
 * it, so that the end of one is nothing to the others.
 */
#ifndef JUGGLE_COORDINATOR_H
#define JUGGLE_COORDINATOR_H

#include "juggle/varlink/client.h"

/* The one for this job, which is started if there is none. -ENOTSUP: this juggle was built without
 * the service; -EPERM: another user has taken its place; -errno of socket and fork. */
int coordinator_connect(const char *name, struct client **client) MUST_CHECK;

#endif
