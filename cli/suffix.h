/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a file's name, which says what it is. */
#ifndef JUGGLE_CLI_SUFFIX_H
#define JUGGLE_CLI_SUFFIX_H

#include <stdbool.h>
#include <string.h>

/* True if the path ends in the suffix, behind a name: ".csv" alone has none. */
static inline bool has_suffix(const char *path, const char *suffix)
{
    const size_t length = strlen(path), suffix_length = strlen(suffix);

    return length > suffix_length && !strcmp(path + length - suffix_length, suffix);
}

#endif
