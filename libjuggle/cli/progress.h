/* SPDX-License-Identifier: BSD-3-Clause */
/* A progress bar on stderr with the time left; silent unless that is a terminal. */
#ifndef JUGGLE_CLI_PROGRESS_H
#define JUGGLE_CLI_PROGRESS_H

#include "libjuggle/policy/units.h"

#include <stdbool.h>

struct progress_bar {
    bool shown;
    int64_t total;
    int64_t began_ns;
    int64_t drawn_ns;
};

void progress_bar_begin(struct progress_bar *bar, int64_t total);
void progress_bar_update(struct progress_bar *bar, int64_t done);

/* Clears the line. */
void progress_bar_end(struct progress_bar *bar);

#endif
