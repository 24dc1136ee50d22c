/* SPDX-License-Identifier: BSD-3-Clause */
/* Unused names in /tmp. A name made of the process ID is not safe: IDs are used again, and files
 * of a killed test stay. */
#ifndef JUGGLE_TESTS_LIB_SCRATCH_H
#define JUGGLE_TESTS_LIB_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Makes a new folder that only the caller uses. */
void scratch_folder(char *path, size_t size);

/* Removes the folder with all that is in it. */
void scratch_remove(const char *folder);

/* Makes a name at which no file exists. */
void scratch_name(char *path, size_t size);

/* Makes a locale of one category in the folder from a definition for localedef(1), and sets it.
 * Returns false, and prints a line that says so, if none can be made. */
bool scratch_locale(const char *folder, int category, const char *definition);

#endif
