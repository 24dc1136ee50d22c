/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle --explain: what a program would find here, and what is in its way; runs nothing. */
#ifndef JUGGLE_EXPLAIN_H
#define JUGGLE_EXPLAIN_H

#include "juggle/settings.h"

/* The command may be missing. Returns juggle's exit status. */
int explain(const struct settings *settings, char *const *command);

#endif
