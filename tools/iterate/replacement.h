/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces a file by a complete new one, or leaves it as it was. */
#ifndef JUGGLE_ITERATE_REPLACEMENT_H
#define JUGGLE_ITERATE_REPLACEMENT_H

#include "libjuggle/steal/runtime/replacement_file.h"

#include <stdio.h>

struct replacement {
    FILE *stream; /* the new contents are written here; NULL: not open */
    char *path;   /* NULL: a terminal, a pipe or a device, which is written directly */
    struct replacement_file file;
};

/* Returns 0, or -errno; then nothing is open. */
int replacement_open(const char *path, struct replacement *replacement) MUST_CHECK;

/* Replaces the file. The replacement is closed, also on failure. */
int replacement_commit(struct replacement *replacement) MUST_CHECK;

/* Closes the replacement and leaves the file as it was. Accepts a closed one. */
void replacement_drop(struct replacement *replacement);

/* Returns 0 if the file could be written, or -errno, without writing it. */
int replacement_try(const char *path) MUST_CHECK;

#endif
