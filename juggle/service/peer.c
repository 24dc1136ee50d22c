/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/service/peer.h"

#include <errno.h>
#include <sys/socket.h>

enum { GROUPS_MAX = 1024 };

static bool is_member(int fd, gid_t gid, gid_t admin_gid)
{
    gid_t groups[GROUPS_MAX];
    socklen_t size = sizeof(groups);

    if (admin_gid == (gid_t)-1)
        return false;
    if (gid == admin_gid)
        return true;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size))
        return false;
    for (size_t i = 0; i < size / sizeof(groups[0]); i++)
        if (groups[i] == admin_gid)
            return true;
    return false;
}

int peer_read(int fd, gid_t admin_gid, struct peer *peer)
{
    struct ucred credentials;
    socklen_t size = sizeof(credentials);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size))
        return -errno;
    *peer = (struct peer){
        .pid = credentials.pid,
        .uid = credentials.uid,
        .privileged = credentials.uid == 0 || is_member(fd, credentials.gid, admin_gid),
    };
    return 0;
}
