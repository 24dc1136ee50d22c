/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that juggle writes. They are opened before the program runs, so that an error is
 * known by then, but emptied only when there is something to write. */
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
    bool shared; /* it is a standard stream of juggle, which the program prints to as well */
    bool made;   /* opening created the file */
    bool begun;  /* its old content is gone */
};

/* Opens the outputs that have a path. Paths must outlive them, and `outputs` must be all zero
 * before. When it fails it complains, except about -ENOMEM, and leaves open those that were
 * opened. -EEXIST: two of them are one file, pipe or socket; otherwise -errno of open. */
int outputs_open(const char *const paths[OUTPUTS_COUNT],
                 struct output outputs[OUTPUTS_COUNT]) MUST_CHECK;

/* Closes all. An output that was not begun keeps its old content; if opening created it, it is
 * removed. */
void outputs_close(struct output outputs[OUTPUTS_COUNT]);

/* Empties the file; from now on it may be flushed. Complains. -errno. */
int output_begin(struct output *output) MUST_CHECK;

/* Closes the output. `error` is the result of writing it; returns that, or the -errno of the
 * last write. If the file was removed meanwhile, writes it once more at its path. Complains. */
int output_end(struct output *output, int error) MUST_CHECK;

#endif
