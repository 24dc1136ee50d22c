/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that one run writes. */
#ifndef JUGGLE_OUTPUTS_H
#define JUGGLE_OUTPUTS_H

#include "juggle/files/output.h"

struct outputs {
    struct output report, record, trace, picture;
};

/* Each may be NULL, and outlives the outputs. */
struct output_paths {
    const char *report, *record, *trace, *picture;
};

/* In place, all zero before; complains when it fails, and leaves open what is. -EEXIST: two of them
 * are one file; else as output_open. */
int outputs_open(const struct output_paths *paths, struct outputs *outputs) MUST_CHECK;

void outputs_close(struct outputs *outputs);

#endif
