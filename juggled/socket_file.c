/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/socket_file.h"

#include "juggled/log.h"
#include "juggled/runtime.h"
#include "libjuggle/varlink/listener.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct socket_file socket_file_at(const char *path)
{
    struct stat stat;

    if (!path || *path == '@' || lstat(path, &stat))
        return (struct socket_file){.path = path};
    return (struct socket_file){path, stat.st_dev, stat.st_ino, false};
}

void socket_file_renew(struct socket_file *file, struct clients *clients)
{
    const char *path = file->path;
    int fd;

    if (!path || *path == '@' || access(path, F_OK) == 0)
        return;
    int error = runtime_make(path);
    if (!error)
        error = listener_open(path, SERVICE_SOCKET_MODE, &fd);
    if (!error) {
        error = clients_listen_anew(clients, fd);
        /* Otherwise the next call would find the file and not try again. */
        if (error) {
            close(fd);
            unlink(path);
        }
    }
    if (!error || !file->lost)
        log_tell(error ? LOG_ERR : LOG_NOTICE, NULL, "%s was gone: %s", path,
                 error ? strerror(-error) : "listening there again");
    if (!error)
        *file = socket_file_at(path);
    file->lost = error;
}

void socket_file_remove(const struct socket_file *file)
{
    const struct socket_file now = socket_file_at(file->path);

    if (now.inode && now.inode == file->inode && now.device == file->device)
        unlink(file->path);
}
