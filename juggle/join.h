/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle --join: adds this process to the job of its node, and becomes the program. */
#ifndef JUGGLE_JOIN_H
#define JUGGLE_JOIN_H

#include "juggle/settings.h"

/* Executes the command, joined or, after one line that says why, not. Returns only juggle's exit
 * status when that fails. */
int join(const struct settings *settings, char *const *command);

#endif
