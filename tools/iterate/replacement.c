/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/replacement.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* True for a terminal, a pipe or a device, which is not replaced, but written to. */
static bool is_special(const struct stat *status)
{
    return !S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode);
}

/* Opens a temporary file beside the file, with its permissions. If `path` is a symbolic link, the
 * file to which it leads will be replaced. */
static int open_replacement(struct replacement *replacement, const char *path,
                            const struct stat *old)
{
    char *real = old ? realpath(path, NULL) : strdup(path);
    int error;

    if (!real)
        return -errno;
    error = replacement_file_open(&replacement->file, real);
    replacement->path = real;
    if (error)
        return error;
    if (old && fchmod(replacement->file.fd, old->st_mode & 0777) < 0)
        return -errno;
    replacement->stream = fdopen(replacement->file.fd, "w");
    return replacement->stream ? 0 : -errno;
}

int replacement_open(const char *path, struct replacement *replacement)
{
    struct stat old;
    const bool is_there = stat(path, &old) == 0;
    int error = 0;

    *replacement = (struct replacement){.file.fd = -1};
    if (is_there && S_ISDIR(old.st_mode))
        error = -EISDIR;
    else if (!is_there || !is_special(&old))
        error = open_replacement(replacement, path, is_there ? &old : NULL);
    else if (!(replacement->stream = fopen(path, "w")))
        error = -errno;
    if (error)
        replacement_drop(replacement);
    return error;
}

int replacement_commit(struct replacement *replacement)
{
    int error = 0;

    errno = 0;
    if (fflush(replacement->stream) || ferror(replacement->stream))
        error = errno ? -errno : -EIO;
    if (error == 0 && replacement->path)
        error = replacement_file_commit(&replacement->file);
    replacement_drop(replacement);
    return error;
}

void replacement_drop(struct replacement *replacement)
{
    if (replacement->stream) {
        fclose(replacement->stream);
        replacement->file.fd = -1;
    }
    replacement_file_close(&replacement->file);
    free(replacement->path);
    *replacement = (struct replacement){.file.fd = -1};
}

int replacement_try(const char *path)
{
    struct replacement replacement;
    struct stat old;
    int error;

    if (stat(path, &old) == 0 && is_special(&old))
        return access(path, W_OK) < 0 ? -errno : 0;
    error = replacement_open(path, &replacement);
    if (!error)
        replacement_drop(&replacement);
    return error;
}
