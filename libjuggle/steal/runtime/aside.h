/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that is written beside the one that it replaces when it is complete: whatever happens, the
 * file is there as a whole, or as it was before. Several processes may write it, at offsets of
 * their own.
 */
#ifndef JUGGLE_STEAL_RUNTIME_ASIDE_H
#define JUGGLE_STEAL_RUNTIME_ASIDE_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

struct aside {
    const char *path;
    char *temporary; /* what it is called until then; NULL: there is none */
    int fd;          /* -1: not open */
    bool own;        /* made here, to be renamed or removed */
};

/* Makes the file beside `path`. -EINVAL where that is a device or a pipe, which must not give way
 * to a file. In any case to be closed. */
int aside_open(struct aside *aside, const char *path) MUST_CHECK;

/* Opens what another process made. */
int aside_join(struct aside *aside, const char *temporary) MUST_CHECK;

int aside_write(int fd, off_t at, const void *bytes, size_t size) MUST_CHECK;

/* What was written here is on the disk. */
int aside_sync(const struct aside *aside) MUST_CHECK;

/* The whole file is on the disk, and takes the place of the other. */
int aside_replace(struct aside *aside) MUST_CHECK;

/* What is not in its place by now is removed. */
void aside_close(struct aside *aside);

/* Removes what processes left of this path that were killed as they wrote. Nobody else may be
 * writing it. */
void aside_sweep(const char *path);

/* Opens a file that is to be read, and says how long it is. -EISDIR, or -EINVAL for a device or a
 * pipe, which nobody waits for. */
int aside_look(const char *path, off_t *size) MUST_CHECK;

/* Reads exactly `size` bytes. -EIO if the file ends before. */
int aside_read(int fd, off_t at, void *bytes, size_t size) MUST_CHECK;

#endif
