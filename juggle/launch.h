/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle COMMAND: runs the command and balances it. */
#ifndef JUGGLE_LAUNCH_H
#define JUGGLE_LAUNCH_H

#include "juggle/settings.h"

/* Returns juggle's exit status: the command's, 128 + n when signal n ended it, or its own. */
int launch(const struct settings *settings, char *const *command);

#endif
