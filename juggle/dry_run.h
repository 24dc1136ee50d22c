/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle --dry-run: what juggle would use and do here, without running anything. */
#ifndef JUGGLE_DRY_RUN_H
#define JUGGLE_DRY_RUN_H

#include "juggle/settings.h"

/* Prints to stdout. Returns juggle's exit status. */
int dry_run(const struct settings *settings, char *const *command);

#endif
