/* SPDX-License-Identifier: BSD-3-Clause */
/* The properties of a collection: a new one is a line of the table in tables.c. */
#ifndef JUGGLE_STEAL_RUNTIME_PROPERTIES_H
#define JUGGLE_STEAL_RUNTIME_PROPERTIES_H

#include "libjuggle/steal/runtime/parameters.h"

/* Fills in the defaults. */
void properties_resolve(struct steal_properties *properties);

/* Copies the program's properties, and overrides them with the user's settings. -EINVAL if the
 * struct has another size, or the user's text is wrong; the runtime's message says why. */
int properties_want(struct steal_runtime *runtime, const struct steal_properties *given,
                    struct steal_properties *properties) MUST_CHECK;

/* Checks properties whose zeros are not replaced by defaults yet: -ENOENT (the function),
 * -ENAMETOOLONG (results_path) or -EINVAL, and the runtime's message says why. */
int properties_check(struct steal_runtime *runtime,
                     const struct steal_properties *properties) MUST_CHECK;

/* Collective: as ranks_agree(), on the properties and the list of registered functions. */
int properties_agree(struct steal_runtime *runtime, int status,
                     const struct steal_properties *properties) MUST_CHECK;

#endif
