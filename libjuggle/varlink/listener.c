/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/varlink/listener.h"

#include "libjuggle/varlink/client.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BACKLOG = 128 };

/* True if this is a socket on which no process listens. Another kind of file refuses connections,
 * too, but belongs to somebody. A socket whose backlog is full does not count as deserted:
 * connecting to it would have to wait. */
static bool is_deserted(const struct sockaddr_un *address, socklen_t size)
{
    struct stat stat;

    if (lstat(address->sun_path, &stat) || !S_ISSOCK(stat.st_mode))
        return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, size) &&
                         errno == ECONNREFUSED;

    if (fd >= 0)
        close(fd);
    return refused;
}

/* All threads share the umask, so it is changed only for a socket that is a file, which only
 * programs make. */
static int bind_path(int fd, const struct sockaddr_un *address, socklen_t size, mode_t mode)
{
    if (is_deserted(address, size))
        unlink(address->sun_path);
    const mode_t before = umask((mode_t)~mode & 0777);
    int error = bind(fd, (const struct sockaddr *)address, size) ? -errno : 0;
    umask(before);
    return error;
}

int listener_open(const char *path, mode_t mode, int *fd)
{
    struct sockaddr_un address;
    socklen_t size;
    int error = client_address(path, &address, &size);

    if (error)
        return error;
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0)
        return -errno;
    if (*path != '@')
        error = bind_path(made, &address, size, mode);
    else if (bind(made, (struct sockaddr *)&address, size))
        error = -errno;
    if (!error && listen(made, BACKLOG)) {
        error = -errno;
        if (*path != '@')
            unlink(path);
    }
    if (error) {
        close(made);
        return error;
    }
    *fd = made;
    return 0;
}
