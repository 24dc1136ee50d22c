/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that is written under a temporary name, and renamed when it is complete, so that the file
 * at the path is always complete, the old one or the new one. Several processes may write it, each
 * at its own offsets.
 */
#ifndef JUGGLE_STEAL_RUNTIME_REPLACEMENT_FILE_H
#define JUGGLE_STEAL_RUNTIME_REPLACEMENT_FILE_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

struct replacement_file {
    const char *path;
    char *temporary; /* its temporary name; NULL: none */
    int fd;          /* -1: not open */
    bool own;        /* this process created it, and renames or removes it */
};

/* Creates the file beside `path`. -EINVAL if `path` is a device or a pipe, which must not be
 * replaced by a file. replacement_file_close() must be called in any case. */
int replacement_file_open(struct replacement_file *file, const char *path) MUST_CHECK;

/* Opens the file that another process created. */
int replacement_file_join(struct replacement_file *file, const char *temporary) MUST_CHECK;

int file_write_at(int fd, off_t at, const void *bytes, size_t size) MUST_CHECK;

/* Waits until everything that this process wrote is on the disk. */
int replacement_file_sync(const struct replacement_file *file) MUST_CHECK;

/* Waits until the whole file is on the disk, and puts it in the place of the other. */
int replacement_file_commit(struct replacement_file *file) MUST_CHECK;

/* Closes the file, and removes it if it was not put in its place. */
void replacement_file_close(struct replacement_file *file);

/* Removes temporary files of this path that killed processes have left. No other process may be
 * writing one. */
void replacement_file_sweep(const char *path);

/* Opens a file for reading, sets `size` to its length, and returns the descriptor. -EISDIR for a
 * directory, -EINVAL for a device or a pipe, on which it does not block. */
int file_open_read(const char *path, off_t *size) MUST_CHECK;

/* Reads exactly `size` bytes. -EIO if the file ends before. */
int file_read_at(int fd, off_t at, void *bytes, size_t size) MUST_CHECK;

#endif
