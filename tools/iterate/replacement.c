/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/replacement.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a symbolic link leads, it is the file there that is replaced. */
static int resolve(const char *path, char real[PATH_MAX])
{
    if (realpath(path, real))
        return 0;
    if (errno != ENOENT)
        return -errno;
    return snprintf(real, PATH_MAX, "%s", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* A terminal, a pipe, a device: not to be replaced, only written to. */
static bool is_special(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The permissions of the file that was there, or those of a new one. */
static mode_t mode_of(const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0)
        return status.st_mode & 0777;
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int temporary_open(struct replacement *replacement)
{
    char *name = replacement->temporary;

    if (snprintf(name, PATH_MAX, "%s.XXXXXXnew", replacement->path) >= PATH_MAX) {
        *name = '\0';
        return -ENAMETOOLONG;
    }
    const int fd = mkstemps(name, sizeof("new") - 1);
    if (fd < 0) {
        *name = '\0';
        return -errno;
    }
    if (fchmod(fd, mode_of(replacement->path)) < 0 || !(replacement->stream = fdopen(fd, "w"))) {
        const int error = errno;

        close(fd);
        return -error;
    }
    return 0;
}

int replacement_open(const char *path, struct replacement *replacement)
{
    int error;

    *replacement = (struct replacement){0};
    error = resolve(path, replacement->path);
    if (error < 0)
        return error;
    if (is_directory(replacement->path))
        error = -EISDIR;
    else if (!is_special(replacement->path))
        error = temporary_open(replacement);
    else if (!(replacement->stream = fopen(replacement->path, "w")))
        error = -errno;
    if (error < 0)
        replacement_drop(replacement);
    return error;
}

int replacement_commit(struct replacement *replacement)
{
    int error = 0;

    errno = 0;
    if (fflush(replacement->stream) || ferror(replacement->stream))
        error = errno ? -errno : -EIO;
    if (error == 0 && *replacement->temporary &&
        (fsync(fileno(replacement->stream)) < 0 ||
         rename(replacement->temporary, replacement->path) < 0))
        error = -errno;
    if (!error)
        *replacement->temporary = '\0';
    replacement_drop(replacement);
    return error;
}

void replacement_drop(struct replacement *replacement)
{
    if (replacement->stream)
        fclose(replacement->stream);
    if (*replacement->temporary)
        unlink(replacement->temporary);
    *replacement = (struct replacement){0};
}

int replacement_try(const char *path)
{
    struct replacement replacement;
    int error;

    if (is_special(path))
        return access(path, W_OK) < 0 ? -errno : 0;
    error = replacement_open(path, &replacement);
    if (!error)
        replacement_drop(&replacement);
    return error;
}
