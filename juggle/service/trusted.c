/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/service/trusted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_trusted(int dir_fd, const char *path, unsigned flags, mode_t kind, int *fd)
{
    const struct open_how how = {
        .flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    struct stat stat;
    int opened = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));

    if (opened < 0)
        return -errno;
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
    while (!error && (entry = readdir(directory)))
        if (entry->d_name[0] != '.')
            error = visit(context, entry->d_name);
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
