/* SPDX-License-Identifier: BSD-3-Clause */
/* How a preloaded object interposes a function: exports one of that name, and finds the next. */
#ifndef JUGGLE_PRELOAD_NEXT_H
#define JUGGLE_PRELOAD_NEXT_H

#include <stdatomic.h>

#define EXPORT __attribute__((visibility("default")))

/* A function that was found; zero before. */
typedef void *_Atomic next_t;

/*
 * Returns the next definition of the function: the library's, or that of another tool that was
 * preloaded, too. If the search order has none, looks into libraries whose path holds `library`:
 * one may have been opened for one module alone, as Python does. NULL: there is none, so the
 * program cannot have meant to call it.
 */
void *next_find(next_t *known, const char *function, const char *library);

#endif
