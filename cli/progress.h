/* SPDX-License-Identifier: BSD-3-Clause */
/* A progress bar on stderr with the time left; silent unless that is a terminal. */
#ifndef JUGGLE_CLI_PROGRESS_H
#define JUGGLE_CLI_PROGRESS_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum { PROGRESS_UNKNOWN = -1 }; /* how much there is to do */

struct progress_bar {
    bool shown;
    int64_t total;
    int64_t began_ns;
    int64_t drawn_ns;
};

void progress_bar_begin(struct progress_bar *bar, int64_t total);
void progress_bar_update(struct progress_bar *bar, int64_t done);

/* The same with words before the bar. If the total is unknown, only the words are shown. */
void progress_bar_tell(struct progress_bar *bar, int64_t done, const char *words);

/* Since it began. */
double progress_bar_elapsed_s(const struct progress_bar *bar);

/* Clears the line. */
void progress_bar_end(struct progress_bar *bar);

#endif
