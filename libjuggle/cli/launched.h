/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of many ranks, each of which reads the same options: one of them does the talking. */
#ifndef JUGGLE_CLI_LAUNCHED_H
#define JUGGLE_CLI_LAUNCHED_H

#include "libjuggle/cli/options.h"

/* The rank that the launcher of a parallel run gave this process: known before MPI is; 0 without
 * one. */
int launched_rank(void);

/* As options_parse(), for a program without operands; what it prints, rank 0 prints alone. `check`
 * looks at what was read, and complains. */
int launched_parse(const struct command_spec *command, int argc, char **argv, void *settings,
                   int (*check)(void *settings), int *exit_status) MUST_CHECK;

#endif
