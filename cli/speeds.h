/* SPDX-License-Identifier: BSD-3-Clause */
/* Speeds of processors as users write them: "1,1,0.5" or "1x4,0.6x4", and "0.62" for siblings. */
#ifndef JUGGLE_CLI_SPEEDS_H
#define JUGGLE_CLI_SPEEDS_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stddef.h>

enum { SPEEDS_MAX = 1024 };

/* The speeds of a machine's processors: the list is repeated up to the last processor. */
struct speeds {
    int count;
    double values[SPEEDS_MAX];
};

/* Neighboring processors share a core, all or the first `processors_count` of them. */
struct speeds_smt {
    double factor; /* of a processor's speed while its sibling is busy; 0: no SMT was asked for */
    int processors_count; /* 0: all */
};

/* Parsers for tables of options; the targets are the structs above. */
int option_speeds(const char *text, void *target, const char **expected);
int option_smt(const char *text, void *target, const char **expected);

/* The speed of processor `index`; 1 without a list. */
double speeds_at(const struct speeds *speeds, int index);

/* -EINVAL, and one line that names the option, if the list has more processors than there are. */
int speeds_check(const struct speeds *speeds, int processors_count, const char *program,
                 const char *option) MUST_CHECK;

/* Whether processor `index` of `count` has a sibling: index ^ 1. */
bool speeds_paired(const struct speeds_smt *smt, int index, int count);

/* -EINVAL, and one line, if siblings have different speeds. */
int speeds_check_siblings(const struct speeds *speeds, const struct speeds_smt *smt,
                          int processors_count, const char *program) MUST_CHECK;

/* Prints "4 x 1, 4 x 0.6" for the first `count` processors. */
void speeds_print(const struct speeds *speeds, int count);

#endif
