/* SPDX-License-Identifier: BSD-3-Clause */
/* A file without a name, for data that is too large for memory. */
#ifndef JUGGLE_STEAL_RUNTIME_SPILL_H
#define JUGGLE_STEAL_RUNTIME_SPILL_H

#include "libjuggle/ground/units.h"

#include <stddef.h>
#include <sys/types.h>

struct spill {
    int fd; /* -1: not opened yet */
    off_t end;
};

static inline void spill_init(struct spill *spill)
{
    *spill = (struct spill){.fd = -1};
}

void spill_close(struct spill *spill);

/* Appends bytes, and says where they begin. */
int spill_add(struct spill *spill, const void *data, size_t size, off_t *at) MUST_CHECK;
int spill_read(const struct spill *spill, off_t at, void *data, size_t size) MUST_CHECK;

/* Empties the file. */
void spill_clear(struct spill *spill);

#endif
