/* SPDX-License-Identifier: BSD-3-Clause */
/* What limited a run, and what would make it faster: from measurements and the theory. Pure. */
#ifndef JUGGLE_ADVICE_H
#define JUGGLE_ADVICE_H

#include "juggle/report/report.h"

enum {
    ADVICE_LINES_MAX = 12,
    ADVICE_SIZE = 256,
};

struct advice {
    int count;
    char lines[ADVICE_LINES_MAX][ADVICE_SIZE]; /* a sentence each, the most important first */
};

void advice_make(const struct report *report, struct advice *advice);

#endif
