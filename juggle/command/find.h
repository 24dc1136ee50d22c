/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program is that a word names. */
#ifndef JUGGLE_COMMAND_FIND_H
#define JUGGLE_COMMAND_FIND_H

#include <limits.h>
#include <stdbool.h>

/* As execvp looks for it: in the directories of PATH, where an empty one is this one, and without
 * PATH where the C library looks then. `mode` is X_OK; or F_OK, for anything of that name. */
bool program_find(const char *word, int mode, char path[PATH_MAX]);

#endif
