/* SPDX-License-Identifier: BSD-3-Clause */
/* What scf was asked for on its command line. */
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

/* Every rank learns the same; rank 0 alone complains. */
int settings_parse(int argc, char **argv, struct settings *settings, int *exit_status) MUST_CHECK;

#endif
