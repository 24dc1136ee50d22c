/* SPDX-License-Identifier: BSD-3-Clause */
/* The properties of a collection: a new one is a line of the table in tables.c. */
#ifndef JUGGLE_STEAL_RUNTIME_PROPERTIES_H
#define JUGGLE_STEAL_RUNTIME_PROPERTIES_H

#include "libjuggle/steal/runtime/parameters.h"

/* Fills in the defaults. */
void properties_resolve(struct steal_properties *properties);

/* What the program gave, and over it what the user wants. -EINVAL and the runtime's message: a
 * struct of another size, or what the user wrote is wrong. */
int properties_want(struct steal_runtime *runtime, const struct steal_properties *given,
                    struct steal_properties *properties) MUST_CHECK;

/* Of properties as they were given: -ENOENT (the function) or -EINVAL, and the runtime's message.
 */
int properties_check(struct steal_runtime *runtime,
                     const struct steal_properties *properties) MUST_CHECK;

/* Collective: as ranks_agree(). */
int properties_agree(struct steal_runtime *runtime, int status,
                     const struct steal_properties *properties) MUST_CHECK;

#endif
