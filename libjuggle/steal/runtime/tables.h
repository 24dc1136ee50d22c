/* SPDX-License-Identifier: BSD-3-Clause */
/* All parameters of the public structs of settings: a new one is a line of a table in tables.c. */
#ifndef JUGGLE_STEAL_RUNTIME_TABLES_H
#define JUGGLE_STEAL_RUNTIME_TABLES_H

#include "libjuggle/steal/runtime/parameters.h"

#include <limits.h>

/* The parts of a struct steal_checkpoint that a text sets. */
struct checkpoint_wish {
    char path[PATH_MAX]; /* "": none */
    int64_t every_ns;
};

extern const struct parameters options_parameters;    /* of struct steal_options */
extern const struct parameters properties_parameters; /* of struct steal_properties */
extern const struct parameters balance_parameters;    /* of struct steal_balance */
extern const struct parameters checkpoint_parameters; /* of struct checkpoint_wish */

/* All public structs that begin with their size. A new version adds fields at the end. */
extern const struct versioned versioned_options, versioned_properties, versioned_balance,
    versioned_statistics, versioned_report, versioned_checkpoint;

#endif
