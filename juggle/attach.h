/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle --attach: balances programs that run already, until they end or juggle is told to let
 * go. */
#ifndef JUGGLE_ATTACH_H
#define JUGGLE_ATTACH_H

#include "juggle/settings.h"

/* `more` are further pids, ended by NULL. Returns juggle's exit status. */
int attach(const struct settings *settings, char *const *more);

#endif
