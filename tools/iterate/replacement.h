/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that is written as a whole, or stays as it was. */
#ifndef JUGGLE_ITERATE_REPLACEMENT_H
#define JUGGLE_ITERATE_REPLACEMENT_H

#include "libjuggle/steal/runtime/aside.h"

#include <stdio.h>

struct replacement {
    FILE *stream; /* what is written here becomes the file; NULL: not open */
    char *path;   /* NULL: of a terminal, a pipe, a device */
    struct aside aside;
};

/* -errno, and then nothing is open. */
int replacement_open(const char *path, struct replacement *replacement) MUST_CHECK;

/* Puts it in place of the file. On failure, too, it is closed. */
int replacement_commit(struct replacement *replacement) MUST_CHECK;

/* Leaves the file as it was. Accepts what is closed. */
void replacement_drop(struct replacement *replacement);

/* Whether the file could be written, without doing so. */
int replacement_try(const char *path) MUST_CHECK;

#endif
