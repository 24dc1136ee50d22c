/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls to a service, juggled or a coordinator, over one connection. */
#ifndef JUGGLE_JOIN_SERVICE_H
#define JUGGLE_JOIN_SERVICE_H

#include "libjuggle/join/join.h"
#include "libjuggle/varlink/client.h"

#include <sys/types.h>

enum { SERVICE_NAME_SIZE = 64 };

/* Asks the service to balance the process `pid` of the user by this wish. `job` gets the name of
 * the job. On failure `problem` says why; the errors are those of join_begin, and -EXFULL: too many
 * processes connect at once. */
int service_balance(struct varlink_client *client, pid_t pid, const struct wish *wish,
                    char job[SERVICE_NAME_SIZE], char problem[JOIN_PROBLEM_SIZE]) MUST_CHECK;

/* Asks the service to add the calling process to the job `name`; without a wish the service
 * chooses. `ignored` gets the names of the fields of the wish that have no effect because the job
 * exists already. Errors as service_balance. */
int service_join(struct varlink_client *client, const char *name, const struct wish *wish,
                 char job[SERVICE_NAME_SIZE], char ignored[JOIN_PROBLEM_SIZE],
                 char problem[JOIN_PROBLEM_SIZE]) MUST_CHECK;

/* Asks the service to stop balancing a job. A job that has ended already is no error. */
void service_release(struct varlink_client *client, const char *job);

/* Takes one joining of the calling process back, and waits until the threads that the service knows
 * have their masks back; other threads of a large program have them soon after. Errors as
 * service_join. */
int service_leave(struct varlink_client *client) MUST_CHECK;

#endif
