/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens only what nobody but root and the caller can have put there: no symbolic link is followed
 * anywhere on the way, and owner and permissions are checked on what was opened. */
#ifndef JUGGLE_JUGGLED_TRUSTED_H
#define JUGGLE_JUGGLED_TRUSTED_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stddef.h>

/* All: -ELOOP: a symbolic link; -EPERM: it is another's, or writable to others; -ENOTDIR, -EISDIR,
 * -EINVAL: another kind of file; else as openat. */
int trusted_directory(const char *path, int *fd) MUST_CHECK;

/* A regular file, whose text is allocated. -EFBIG: longer than size_max. */
int trusted_read(int dir_fd, const char *path, size_t size_max, char **text,
                 size_t *length) MUST_CHECK;

/* Calls `visit` for each name in a directory, until it fails. */
int trusted_list(int dir_fd, const char *path, int (*visit)(void *context, const char *name),
                 void *context) MUST_CHECK;

const char *trusted_problem(int error);

/* Says nothing of what was to be read: it may be otherwise another time. */
bool trusted_is_passing(int error);

#endif
