/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of scf. */
#ifndef JUGGLE_SCF_SETTINGS_H
#define JUGGLE_SCF_SETTINGS_H

#include "tools/iterate/application.h"

struct settings {
    const char *program;
    struct iterate_options iterate;
    int atoms;
    int tile;
    double cutoff;
    double convergence;
};

/* Fills in `settings` and returns 0, the same on every rank. Otherwise the program must end with
 * *exit_status; only rank 0 complains. */
int settings_parse(int argc, char **argv, struct settings *settings, int *exit_status) MUST_CHECK;

#endif
