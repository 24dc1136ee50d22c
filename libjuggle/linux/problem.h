/* SPDX-License-Identifier: BSD-3-Clause */
/* Why something failed, in one line: the object first, then the reason, then what can be done. */
#ifndef JUGGLE_LINUX_PROBLEM_H
#define JUGGLE_LINUX_PROBLEM_H

#include "libjuggle/ground/units.h"

/* Writes a whole sentence; returns `error`, so that a caller can set a problem and fail at once. */
int problem_say(char *problem, size_t size, int error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes the object, what the kernel says of `error`, a -errno, and which resource limit may be the
 * cause, if one may be; returns `error`. */
int problem_of(char *problem, size_t size, int error, const char *object, ...)
    __attribute__((format(printf, 4, 5)));

#endif
