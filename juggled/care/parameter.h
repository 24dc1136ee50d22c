/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a call, or of a record of the state: who wrote them is not trusted. Pure. */
#ifndef JUGGLE_SERVICE_PARAMETER_H
#define JUGGLE_SERVICE_PARAMETER_H

#include "libjuggle/ground/units.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/* null is the same as nothing. */
bool parameter_is_given(const json_t *object, const char *name);

/* The first that is given and none of `known`, which ends with NULL; NULL: there is none. */
const char *parameter_unknown(const json_t *object, const char *const known[]);

/* NULL if it is not given; *right is false if it is no text. */
const char *parameter_text(const json_t *object, const char *name, bool *right);

/* False if it is given and neither true nor false; what is not given is no. */
bool parameter_flag(const json_t *object, const char *name, bool *flag);

/* The following are false, and change nothing, if the value is missing, of another type or outside
 * of its bounds. */
bool parameter_integer(const json_t *object, const char *name, int64_t low, int64_t high,
                       int64_t *integer);
/* "pid" and "start_ticks", which name a process for good. */
bool parameter_pid(const json_t *object, pid_t *pid);
bool parameter_start_ticks(const json_t *object, uint64_t *start_ticks);

#endif
