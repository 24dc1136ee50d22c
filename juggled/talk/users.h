/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface's User and Rest: the service's users, and the reasons for which jobs rest. */
#ifndef JUGGLE_SERVICE_USERS_H
#define JUGGLE_SERVICE_USERS_H

#include "juggled/talk/clients.h"
#include "juggled/care/jobs.h"

/* Arrays that contain only what the peer may see. */
json_t *users_to_json(const struct jobs *jobs, const struct clients *clients,
                      const struct credentials *peer);
json_t *rests_to_json(const struct jobs *jobs, const struct credentials *peer);

#endif
