/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that juggle writes: opened before the program runs, so that what cannot be written is
 * known then, but emptied only when there is something to write. */
#ifndef JUGGLE_OUTPUT_H
#define JUGGLE_OUTPUT_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdio.h>

enum output_kind { OUTPUT_REPORT, OUTPUT_RECORD, OUTPUT_TRACE, OUTPUT_PICTURE, OUTPUTS_COUNT };

struct output {
    const char *path; /* "-" is standard output; NULL: there is none */
    FILE *file;
    char *buffer;
    bool shared; /* with a standard stream, which the program prints to */
    bool made;   /* it was not there */
    bool begun;  /* what it held is gone */
};

/* Opens those that have a path, which outlives them, in place, all zero before. Complains when it
 * fails, and leaves open what is. -EEXIST: two of them are one file, pipe or socket; else -errno of
 * open. */
int outputs_open(const char *const paths[OUTPUTS_COUNT],
                 struct output outputs[OUTPUTS_COUNT]) MUST_CHECK;

/* What was not begun is as it was. */
void outputs_close(struct output outputs[OUTPUTS_COUNT]);

/* From now on it may be flushed. Complains. -errno. */
int output_begin(struct output *output) MUST_CHECK;

/* Closes what was written, which went as `error` says: that, or the -errno of the last write. What
 * was removed meanwhile is there again. Complains. */
int output_end(struct output *output, int error) MUST_CHECK;

#endif
