/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what a search found and how fast. */
#ifndef JUGGLE_UTS_REPORT_H
#define JUGGLE_UTS_REPORT_H

#include "libjuggle/steal.h"
#include "tools/uts/expander.h"
#include "tools/uts/settings.h"

struct result {
    struct census census;
    int64_t elapsed_ns;
    int ranks_count;
    int threads_count;                  /* searching threads of all ranks */
    struct steal_statistics statistics; /* zero after a sequential search */
    struct steal_report report;
};

/* Returns 0, or -EIO after complaining that stdout could not be written. */
int result_print(const struct settings *settings, const struct result *result) MUST_CHECK;

#endif
