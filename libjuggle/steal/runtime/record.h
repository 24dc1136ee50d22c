/* SPDX-License-Identifier: BSD-3-Clause */
/* What a worker has executed, kept to be executed again (retention). */
#ifndef JUGGLE_STEAL_RUNTIME_RECORD_H
#define JUGGLE_STEAL_RUNTIME_RECORD_H

#include "libjuggle/policy/units.h"

#include <stdbool.h>
#include <stddef.h>

struct record {
    unsigned char *tasks; /* oldest first; NULL: nothing is kept */
    size_t size;          /* bytes reserved */
    size_t count;
    bool full; /* some did not fit */
};

int record_open(struct record *record, size_t size) MUST_CHECK;
void record_close(struct record *record);

void record_clear(struct record *record);

/* `count` tasks, `stride` bytes apart. */
void record_add(struct record *record, const void *tasks, size_t count, size_t stride);

#endif
