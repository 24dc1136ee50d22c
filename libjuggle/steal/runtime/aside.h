/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that is written under a temporary name, and renamed when it is complete, so that the file
 * at the path is always complete, the old one or the new one. Several processes may write it, each
 * at its own offsets.
 */
#ifndef JUGGLE_STEAL_RUNTIME_ASIDE_H
#define JUGGLE_STEAL_RUNTIME_ASIDE_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

struct aside {
    const char *path;
    char *temporary; /* its temporary name; NULL: none */
    int fd;          /* -1: not open */
    bool own;        /* this process created it, and renames or removes it */
};

/* Creates the file beside `path`. -EINVAL if `path` is a device or a pipe, which must not be
 * replaced by a file. aside_close() must be called in any case. */
int aside_open(struct aside *aside, const char *path) MUST_CHECK;

/* Opens the file that another process created. */
int aside_join(struct aside *aside, const char *temporary) MUST_CHECK;

int aside_write(int fd, off_t at, const void *bytes, size_t size) MUST_CHECK;

/* Waits until everything that this process wrote is on the disk. */
int aside_sync(const struct aside *aside) MUST_CHECK;

/* Waits until the whole file is on the disk, and puts it in the place of the other. */
int aside_replace(struct aside *aside) MUST_CHECK;

/* Closes the file, and removes it if it was not put in its place. */
void aside_close(struct aside *aside);

/* Removes temporary files of this path that killed processes have left. No other process may be
 * writing one. */
void aside_sweep(const char *path);

/* Opens a file for reading, sets `size` to its length, and returns the descriptor. -EISDIR for a
 * directory, -EINVAL for a device or a pipe, on which it does not block. */
int aside_look(const char *path, off_t *size) MUST_CHECK;

/* Reads exactly `size` bytes. -EIO if the file ends before. */
int aside_read(int fd, off_t at, void *bytes, size_t size) MUST_CHECK;

#endif
