/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains why a command could not be run, in the words and with the exit status of a shell. */
#ifndef JUGGLE_COMMAND_NOT_RUN_H
#define JUGGLE_COMMAND_NOT_RUN_H

/* Returns the -errno that execvp would fail with, as far as names and permissions show; 0 if it
 * should succeed. */
int not_run_expect(const char *command);

/* Says it in one line, with a hint at what may have been meant. `error` is the -errno of execvp.
 * Returns the status to end with. */
int not_run_tell(const char *command, int error);

#endif
