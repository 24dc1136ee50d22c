/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/credentials.h"

#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD /* since Linux 6.5 */
#define SO_PEERPIDFD 77
#endif

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

/* Opens a pidfd of the peer, to hold it while it is examined. If the kernel has no SO_PEERPIDFD,
 * the pid may already belong to another process. A process of another user or with a later start
 * is never taken for the peer. */
static int process_hold(int fd, pid_t pid, int *pidfd)
{
    socklen_t size = sizeof(*pidfd);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, pidfd, &size) == 0)
        return 0;
    if (errno != ENOPROTOOPT)
        return -errno;
    *pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    return *pidfd < 0 ? -ESRCH : 0;
}

/* Identifies the peer's process. It stays all zero if the peer has ended. */
static void process_read(int proc_fd, pid_t pid, struct credentials *peer)
{
    int pidfd;

    if (process_hold(peer->fd, pid, &pidfd))
        return;
    if (process_identify(proc_fd, pid, &peer->process) == 0)
        peer->capabilities = process_capabilities(proc_fd, &peer->process);
    if (process_ended(pidfd)) {
        peer->process = (struct process){0};
        peer->capabilities = 0;
    }
    close(pidfd);
}

bool credentials_process_lives(const struct credentials *peer)
{
    int pidfd;
    socklen_t size = sizeof(pidfd);

    /* If the kernel has no SO_PEERPIDFD, pid and start time have to suffice. */
    if (getsockopt(peer->fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size))
        return errno != ESRCH && errno != EINVAL;
    const bool lives = !process_ended(pidfd);
    close(pidfd);
    return lives;
}

int credentials_read(int fd, int proc_fd, gid_t admin_gid, struct credentials *peer)
{
    struct ucred kernel_credentials;
    socklen_t size = sizeof(kernel_credentials);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &kernel_credentials, &size))
        return -errno;
    *peer = (struct credentials){
        .fd = fd,
        .uid = kernel_credentials.uid,
        .privileged = kernel_credentials.uid == 0 ||
                      is_member(fd, kernel_credentials.gid, admin_gid),
    };
    process_read(proc_fd, kernel_credentials.pid, peer);
    return 0;
}
