/* SPDX-License-Identifier: BSD-3-Clause */
/* The process at the other end of a socket, as reported by the kernel, and what it may do. */
#ifndef JUGGLE_JUGGLED_CREDENTIALS_H
#define JUGGLE_JUGGLED_CREDENTIALS_H

#include "juggled/care/process.h"

struct credentials {
    struct process process; /* that connected; pid 0 if it is not known */
    int unknown; /* why not: -ESRCH if it has ended, or is in another PID namespace; -EMFILE and the
                    like */
    int fd;      /* descriptor of the connection */
    uid_t uid;
    uint64_t capabilities; /* of its process when it connected; 0 if that is not known */
    bool privileged; /* root, or a member of the group juggle: acts on all jobs and sees all */
};

/* Reads the credentials. Call it once for a connection: later its process may have ended, and
 * its pid belong to another. `admin_gid` is the group whose members are privileged, (gid_t)-1
 * for none. -errno. */
int credentials_read(int fd, int proc_fd, gid_t admin_gid, struct credentials *peer) MUST_CHECK;

/* False if the process that connected has ended. Then pid and start time may be those of another
 * process, which began within the same clock tick. */
bool credentials_process_lives(const struct credentials *peer);

static inline bool credentials_allow(const struct credentials *peer, uid_t owner)
{
    return peer->privileged || peer->uid == owner;
}

#endif
