/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle --compare: runs a command as it is, with juggle and with --fit, and says which to use. */
#ifndef JUGGLE_COMPARE_H
#define JUGGLE_COMPARE_H

#include "juggle/settings.h"

/* The options are all words before the command: juggle runs with the same in each of its runs.
 * Returns juggle's exit status: that of a run that failed, zero where all were compared. */
int compare(const struct settings *settings, char *const *options, int options_count,
            char *const *command);

#endif
