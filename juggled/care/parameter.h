/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a call, or of a record in the store. Their author is not trusted. Pure. */
#ifndef JUGGLE_SERVICE_PARAMETER_H
#define JUGGLE_SERVICE_PARAMETER_H

#include "libjuggle/ground/units.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/* False also for null. */
bool parameter_is_given(const json_t *object, const char *name);

/* The first given parameter that is not in `known`, which ends with NULL; NULL if there is none. */
const char *parameter_unknown(const json_t *object, const char *const known[]);

/* NULL if it is not given. *right is false if it is given and no text. */
const char *parameter_text(const json_t *object, const char *name, bool *right);

/* False if it is given and neither true nor false. If it is not given, *flag is false. */
bool parameter_flag(const json_t *object, const char *name, bool *flag);

/* The following functions return false, and change nothing, if the value is missing, of another
 * type or out of bounds. */
bool parameter_integer(const json_t *object, const char *name, int64_t low, int64_t high,
                       int64_t *integer);
/* "pid" and "start_ticks", which together identify a process for good. */
bool parameter_pid(const json_t *object, pid_t *pid);
bool parameter_start_ticks(const json_t *object, uint64_t *start_ticks);

#endif
