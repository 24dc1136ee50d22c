/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of many ranks, each of which reads the same options: one of them does the talking. */
#ifndef JUGGLE_CLI_LAUNCHED_H
#define JUGGLE_CLI_LAUNCHED_H

#include "cli/options.h"

/* The rank that the launcher of a parallel run gave this process: known before MPI is; 0 without
 * one. */
int launched_rank(void);

/* The exit status of a rank that failed, after a moment if it is not rank 0: launchers end all
 * ranks as soon as one fails, and rank 0 would not come to say why. */
int launched_fail(int exit_status);

/* As options_parse(), for a program without operands; what it prints, rank 0 prints alone. `check`
 * looks at what was read, and complains. */
int launched_parse(const struct command_spec *command, int argc, char **argv, void *settings,
                   int (*check)(void *settings), int *exit_status) MUST_CHECK;

#endif
