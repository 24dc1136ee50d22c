/* SPDX-License-Identifier: BSD-3-Clause */
/* A command that could not be run: why, in the words and with the status of a shell. */
#ifndef JUGGLE_COMMAND_NOT_RUN_H
#define JUGGLE_COMMAND_NOT_RUN_H

/* The -errno that execvp would end with, as far as names and permissions tell; 0 if none. */
int not_run_expect(const char *command);

/* Says it in one line, with what may have been meant. `error` is the -errno of execvp; returns the
 * status to end with. */
int not_run_tell(const char *command, int error);

#endif
