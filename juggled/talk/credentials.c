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
    if (pid <= 0)
        return -ESRCH;
    *pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    return *pidfd < 0 ? -errno : 0;
}

/* Identifies the peer's process. It stays all zero if that fails. */
static int process_read(int proc_fd, pid_t pid, struct credentials *peer)
{
    struct process process;
    uint64_t capabilities;
    int pidfd;
    int error = process_hold(peer->fd, pid, &pidfd);

    if (error)
        return error;
    error = process_identify(proc_fd, pid, &process);
    if (!error)
        error = process_capabilities(proc_fd, &process, &capabilities);
    if (!error && process_ended(pidfd))
        error = -ESRCH;
    close(pidfd);
    if (error)
        return error;
    peer->process = process;
    /* Since it connected it may have executed a program that acts for another user. */
    peer->capabilities = process.uid == peer->uid && !process.foreign ? capabilities : 0;
    return 0;
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
    peer->unknown = process_read(proc_fd, kernel_credentials.pid, peer);
    return 0;
}
