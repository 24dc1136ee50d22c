/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in /tmp that nobody has. A name made of the process's number is no such: numbers come
 * again, and what a killed test left stays. */
#ifndef JUGGLE_TESTS_LIB_SCRATCH_H
#define JUGGLE_TESTS_LIB_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* A new folder, for whoever calls alone. */
void scratch_folder(char *path, size_t size);

/* With all that is in it. */
void scratch_remove(const char *folder);

/* Nothing is there yet. */
void scratch_name(char *path, size_t size);

/* Makes a locale of one category in the folder, as localedef(1) reads it, and takes it. False, with
 * a word on it, where none can be made. */
bool scratch_locale(const char *folder, int category, const char *definition);

#endif
