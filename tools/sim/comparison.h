/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints how static balancing, the opponent and the policy compare: as a table, JSON, or a line of
 * CSV. */
#ifndef JUGGLE_SIM_COMPARISON_H
#define JUGGLE_SIM_COMPARISON_H

#include "tools/sim/simulation.h"

struct comparison {
    const struct scenario *scenario;
    struct outcome baseline; /* static */
    struct outcome opponent; /* if the scenario has one */
    struct outcome policy;
};

void comparison_print_table(const struct comparison *comparison);

/* Returns 0, -ENOMEM or -EIO. */
int comparison_print_json(const struct comparison *comparison) MUST_CHECK;

void comparison_print_csv_header(void);
void comparison_print_csv_line(const struct comparison *comparison);

#endif
