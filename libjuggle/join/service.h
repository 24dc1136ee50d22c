/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls to a service, juggled or a coordinator, over one connection. */
#ifndef JUGGLE_JOIN_SERVICE_H
#define JUGGLE_JOIN_SERVICE_H

#include "libjuggle/join/join.h"
#include "libjuggle/varlink/client.h"

#include <sys/types.h>

enum { SERVICE_NAME_SIZE = 64 };

/* Has a process of the user balanced as it wishes. `job` is what it is called there. When it fails
 * `problem` says why; the errors are those of join_begin, and -EXFULL: too many connect at once. */
int service_balance(struct varlink_client *client, pid_t pid, const struct wish *wish,
                    char job[SERVICE_NAME_SIZE], char problem[JOIN_PROBLEM_SIZE]) MUST_CHECK;

/* The same for the calling process, which joins the job `name`; without a wish the service
 * chooses. `ignored` are the names of what is wished in vain, as the job is there already. */
int service_join(struct varlink_client *client, const char *name, const struct wish *wish,
                 char job[SERVICE_NAME_SIZE], char ignored[JOIN_PROBLEM_SIZE],
                 char problem[JOIN_PROBLEM_SIZE]) MUST_CHECK;

/* Lets go of a job; a job that has ended already is none to let go of. */
void service_release(struct varlink_client *client, const char *job);

/* Takes one joining of the calling process back, and waits until the threads that the service knew
 * have their masks back; a large program's others have them soon after. As service_join. */
int service_leave(struct varlink_client *client) MUST_CHECK;

#endif
