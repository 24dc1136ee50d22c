/* SPDX-License-Identifier: BSD-3-Clause */
/* The function that a preloaded one stands before. */
#ifndef JUGGLE_PRELOAD_NEXT_H
#define JUGGLE_PRELOAD_NEXT_H

#include <stdatomic.h>

/* What was found once; zero before. */
typedef void *_Atomic next_t;

/*
 * The next definition of the function, be it the library's or another tool's that was preloaded
 * too. A library that was opened for one module alone, as Python does, is looked into if its path
 * holds `library`. NULL: there is none, so that nobody can have meant to call it.
 */
void *next_find(next_t *known, const char *function, const char *library);

#endif
