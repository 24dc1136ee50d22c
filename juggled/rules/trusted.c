/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/rules/trusted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes all symbolic links fail with -ELOOP: where a directory is wanted, openat returns ENOTDIR
 * for them. */
static int open_step(int dir_fd, const char *name, int flags)
{
    struct stat stat;
    int fd = openat(dir_fd, name, flags | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0)
        return fd;
    const int error = -errno;
    if (error == -ENOTDIR && fstatat(dir_fd, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(stat.st_mode))
        return -ELOOP;
    return error;
}

/* Opens one component after the other. openat2 could do it in one call, but is refused to
 * services for which systemd restricts set-user-ID files. */
static int open_no_links(int dir_fd, const char *path, int flags)
{
    char name[NAME_MAX + 1];
    int at = open_step(dir_fd, *path == '/' ? "/" : ".", O_PATH | O_DIRECTORY);

    for (path += strspn(path, "/"); at >= 0 && *path;) {
        const size_t length = strcspn(path, "/");
        if (length >= sizeof(name)) {
            close(at);
            return -ENAMETOOLONG;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        path += length;
        path += strspn(path, "/");
        const int next = open_step(at, name, *path ? O_PATH | O_DIRECTORY : flags);
        close(at);
        at = next;
    }
    return at;
}

static int open_trusted(int dir_fd, const char *path, int flags, mode_t kind, int *fd)
{
    struct stat stat;
    int opened = open_no_links(dir_fd, path, flags | O_NOCTTY | O_NONBLOCK);

    if (opened < 0)
        return opened;
    int error = fstat(opened, &stat) ? -errno : 0;
    if (!error && (stat.st_mode & S_IFMT) != kind)
        error = -EINVAL;
    if (!error &&
        ((stat.st_uid != 0 && stat.st_uid != geteuid()) || (stat.st_mode & (S_IWGRP | S_IWOTH))))
        error = -EPERM;
    if (error) {
        close(opened);
        return error;
    }
    *fd = opened;
    return 0;
}

int trusted_directory(const char *path, int *fd)
{
    return open_trusted(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, S_IFDIR, fd);
}

static int read_all(int fd, char *text, size_t size, size_t *length)
{
    size_t filled = 0;
    ssize_t got;

    while ((got = read(fd, text + filled, size - filled)) > 0)
        filled += (size_t)got;
    if (got < 0)
        return -errno;
    *length = filled;
    return filled == size ? -EFBIG : 0;
}

int trusted_read(int dir_fd, const char *path, size_t size_max, char **text, size_t *length)
{
    int fd;
    int error = open_trusted(dir_fd, path, O_RDONLY, S_IFREG, &fd);

    if (error)
        return error;
    char *bytes = malloc(size_max + 1);
    error = bytes ? read_all(fd, bytes, size_max + 1, length) : -ENOMEM;
    close(fd);
    if (error) {
        free(bytes);
        return error;
    }
    bytes[*length] = '\0';
    *text = bytes;
    return 0;
}

int trusted_list(int dir_fd, const char *path, int (*visit)(void *context, const char *name),
                 void *context)
{
    struct dirent *entry;
    int fd;
    int error = open_trusted(dir_fd, path, O_RDONLY | O_DIRECTORY, S_IFDIR, &fd);

    if (error)
        return error;
    DIR *directory = fdopendir(fd);
    if (!directory) {
        close(fd);
        return -ENOMEM;
    }
    while (!error && (errno = 0, entry = readdir(directory)))
        if (entry->d_name[0] != '.')
            error = visit(context, entry->d_name);
    if (!error)
        error = -errno;
    closedir(directory);
    return error;
}

const char *trusted_problem(int error)
{
    switch (error) {
    case -ELOOP:
        return "there is a symbolic link on the way, which is not followed";
    case -EPERM:
        return "must belong to root and be writable to nobody else";
    case -EINVAL:
        return "is no regular file";
    case -EFBIG:
        return "is too large";
    case -E2BIG:
        return "holds too many files";
    default:
        return strerror(-error);
    }
}

bool trusted_is_passing(int error)
{
    return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -EAGAIN ||
           error == -EIO;
}
