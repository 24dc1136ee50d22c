/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the program that a word names. */
#ifndef JUGGLE_COMMAND_FIND_H
#define JUGGLE_COMMAND_FIND_H

#include <limits.h>
#include <stdbool.h>

/* Searches like execvp: in the directories of PATH, where an empty entry is the current
 * directory, and without PATH in the C library's default. `mode` is X_OK for executable files,
 * or F_OK for anything of that name. False if nothing is found, or the path is too long. */
bool program_find(const char *word, int mode, char path[PATH_MAX]);

#endif
