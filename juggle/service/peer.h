/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is at the other end of a socket, as the kernel says, and what that allows. */
#ifndef JUGGLE_SERVICE_PEER_H
#define JUGGLE_SERVICE_PEER_H

#include "juggle/service/process.h"

struct peer {
    pid_t pid; /* of the process that connected */
    uid_t uid;
    bool privileged; /* root, or of the group juggle: acts on all and sees all */
};

/* `admin_gid` is the group whose members are privileged, (gid_t)-1 for none. -errno. */
int peer_read(int fd, gid_t admin_gid, struct peer *peer) MUST_CHECK;

static inline bool peer_may(const struct peer *peer, uid_t owner)
{
    return peer->privileged || peer->uid == owner;
}

#endif
