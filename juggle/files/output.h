/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that juggle writes: opened before the program runs, so that what cannot be written is
 * known then, but emptied only when there is something to write. */
#ifndef JUGGLE_OUTPUT_H
#define JUGGLE_OUTPUT_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdio.h>

struct output {
    const char *path; /* "-" is standard output; NULL: there is none */
    FILE *file;
    char *buffer;
    bool shared; /* with a standard stream, which the program prints to */
    bool made;   /* it was not there */
    bool begun;  /* what it held is gone */
};

/* `path` may be NULL and outlives the output. As all but output_close it says what is wrong. -errno
 * of open. */
int output_open(const char *path, struct output *output) MUST_CHECK;

/* True if both would be written to the same file, pipe or socket. */
bool output_is_same(const struct output *one, const struct output *other);

/* From now on it may be flushed. -errno. */
int output_begin(struct output *output) MUST_CHECK;

/* Closes what was written, which went as `error` says: that, or the -errno of the last write. */
int output_end(struct output *output, int error) MUST_CHECK;

/* Closes it; what was not begun is as it was, what was removed meanwhile is there again. All zero
 * is allowed, as after a close. */
int output_close(struct output *output);

#endif
