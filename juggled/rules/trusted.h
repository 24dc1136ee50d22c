/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens only files that nobody but root and the caller can have put there: symbolic links are
 * not followed anywhere on the path, and owner and permissions of the opened file are checked. */
#ifndef JUGGLE_JUGGLED_TRUSTED_H
#define JUGGLE_JUGGLED_TRUSTED_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stddef.h>

/* Errors of all functions: -ELOOP: a symbolic link; -EPERM: it belongs to another user, or
 * others may write to it; -ENOTDIR, -EISDIR, -EINVAL: another kind of file; others as openat. */
int trusted_directory(const char *path, int *fd) MUST_CHECK;

/* Reads a regular file into an allocated text. -EFBIG: it is longer than size_max. */
int trusted_read(int dir_fd, const char *path, size_t size_max, char **text,
                 size_t *length) MUST_CHECK;

/* Calls `visit` for each name in a directory, until it fails. */
int trusted_list(int dir_fd, const char *path, int (*visit)(void *context, const char *name),
                 void *context) MUST_CHECK;

const char *trusted_problem(int error);

/* True for an error that says nothing about the file, and may not occur another time. */
bool trusted_is_passing(int error);

#endif
