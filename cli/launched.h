/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs of many ranks that all read the same options: only one rank prints. */
#ifndef JUGGLE_CLI_LAUNCHED_H
#define JUGGLE_CLI_LAUNCHED_H

#include "cli/options.h"

/* Returns the rank that the launcher gave this process, which is known before MPI is initialized; 0
 * without a launcher. */
int launched_rank(void);

/* Returns `exit_status`. If it is a failure and this is not rank 0, returns only after 2 s:
 * launchers kill all ranks as soon as one fails, and rank 0 has to say why before that. */
int launched_fail(int exit_status);

/* As options_parse() for a program without operands, except that only rank 0 prints. `check` looks
 * at the settings that were read, and complains. */
int launched_parse(const struct command_spec *command, int argc, char **argv, void *settings,
                   int (*check)(void *settings), int *exit_status) MUST_CHECK;

#endif
